#include <algorithm>
#include <utility>

#include "sim/detector/trackers.h"
#include "sim/machine/program.h"

namespace sim::hazards {
namespace {

/// Calls whole_page(page) for pages that are entirely in the range, else per_cell(cell, words) for rows, quads and
/// words.
template <class Whole, class PerCell>
void for_range(GlobalShadow& global, uint64_t offset, uint64_t bytes, Whole&& whole_page, PerCell&& per_cell) {
    const uint64_t end = offset + bytes;
    while (offset < end) {
        GlobalShadow::Page& page = global.pages[offset / GlobalShadow::page_bytes];
        const uint64_t page_end = (offset / GlobalShadow::page_bytes + 1) * GlobalShadow::page_bytes;
        const uint64_t stop = std::min(end, page_end);
        if (offset % GlobalShadow::page_bytes == 0 && stop == page_end && whole_page(page)) {
            offset = stop;
            continue;
        }
        for_cells(
            offset, stop - offset, global.pool, GlobalCells{&global, 0},
            [&](Cell& cell, uint64_t, uint32_t words) {
                per_cell(cell, words);
                return true;
            },
            [&](Cell& cell) { per_cell(cell, quad_words); });
        offset = stop;
    }
}

/// Does the function have a fence, an acquire or a release of system scope?
bool orders_for_system(const ptx::Function& function) {
    return std::ranges::any_of(function.body(), [](const ptx::Instruction& instruction) {
        const std::string_view code = instruction.opcode;
        return code.find(".sys") != code.npos &&
               std::ranges::any_of(
                   std::initializer_list<std::string_view>{"fence", "membar", ".acquire", ".release", ".acq_rel"},
                   [&](std::string_view word) { return code.find(word) != code.npos; });
    });
}

/// Does it have an access to global memory that is strong for the system?
bool has_signals(const ptx::Function& function) {
    return std::ranges::any_of(function.body(), [](const ptx::Instruction& instruction) {
        const std::string_view code = instruction.opcode;
        const bool is_volatile = code.find(".volatile") != code.npos && code.find(".shared") == code.npos;
        return is_volatile || code.find(".sys") != code.npos || code.find(".mmio") != code.npos;
    });
}

bool any_function(const machine::DecodedFunction& kernel, bool (*is)(const ptx::Function&)) {
    return std::ranges::any_of(kernel.module->ptx().functions, [&](const auto& function) {
        return (function.get() == kernel.function || !function->is_entry) && kernel.module->is_prepared(*function) &&
               is(*function);
    });
}

} // namespace

bool talks_to_host(const machine::DecodedFunction& kernel) {
    return any_function(kernel, orders_for_system);
}

bool signals_host(const machine::DecodedFunction& kernel) {
    return any_function(kernel, has_signals);
}

void HostTracker::begin(const events::Order& order, events::OperationId id, std::string_view what) {
    if (core_.ordering.operations.current().id != id)
        core_.ordering.operations.begin(id, order, 1, std::string(what));
}

bool HostTracker::report_unordered(const Cell& cell, uint32_t words, const ReadSets& sets, HostConflict conflict,
                                   bool or_reads) {
    const Ordering& ordering = core_.ordering;
    const WarpClock no_order(0, 0, 0, 0, core_.nothing);
    Reader bad{cell.write, 1, cell.write_pc};
    if (last_writes_are_fine(ordering, no_order, 0, cell, words)) {
        conflict.other_wrote = false;
        if (!or_reads || reads_ordered(ordering, no_order, 0, cell, sets, Proxy::generic, false, &bad, words))
            return false;
    }
    const BulkOp* copy = ordering.bulk.find_epoch(bad.epoch);
    const Operation& now = ordering.operations.current();
    const Operation* other = ordering.operations.of_block(copy ? copy->block : block_of(bad.epoch));
    if (other && (now.by_host || other->by_host)) {
        const Operation& of_device = now.by_host ? *other : now;
        if (of_device.what.starts_with("cudaMemcpy")) // the program's side watches its copies
            return false;
        if (of_device.talks || (core_.may_signal_host(bad.pc) && !follows_a_signal(bad, of_device.id)))
            return false;
        conflict.signals = of_device.signals;
        conflict.launched_at = of_device.site;
    }
    Place there = core_.places.of(bad.epoch, bad.pc, {});
    conflict.other = there.kernel;
    conflict.by_host = now.by_host || (other && other->by_host);
    if (other) {
        conflict.staged = now.staged_after(*other);
        conflict.lost_waits = now.lost_waits(*other);
    }
    Place here;
    here.site = now.site;
    if (other && other->by_host) // the host's access is the one that is too early
        std::swap(here, there);
    core_.findings.report(conflict, std::move(here), std::move(there));
    return true;
}

bool HostTracker::follows_a_signal(const Reader& store, events::OperationId kernel) {
    if (std::exchange(signalled_by_, kernel) != kernel)
        signals_.clear();
    const auto same_warp_later = [&](const Reader& seen) {
        const uint64_t ticks = tick_of(seen.epoch), before = tick_of(store.epoch);
        return block_of(seen.epoch) == block_of(store.epoch) && warp_of(seen.epoch) == warp_of(store.epoch) &&
               (ticks > before || (ticks == before && seen.pc > store.pc));
    };
    const bool follows = first_look_ && std::ranges::any_of(signals_, same_warp_later);
    constexpr size_t most = 64;
    if (signals_.size() < most)
        signals_.push_back(store);
    return follows;
}

void HostTracker::write(memory::Allocation& allocation, uint64_t address, uint64_t bytes, const events::Order& order,
                        events::OperationId id, std::string_view what) {
    begin(order, id, what);
    check_lifetime(allocation, what);
    Ordering& ordering = core_.ordering;
    const Epoch mine = make_epoch(EpochKind::host, ordering.operations.base(), 0, 0, 0);
    GlobalShadow& global = core_.shadow(allocation);
    const bool check = !order.unordered.empty();
    const WarpClock no_order(0, 0, 0, 0, core_.nothing);
    bool reported = false;
    for_range(
        global, address - allocation.address, bytes,
        [&](GlobalShadow::Page& page) {
            if (check && (page.rows || !last_write_is_fine(ordering, no_order, 0, page.write)))
                return false;
            page.rows.reset(); // its quads keep their parts for the next time
            page.write = mine;
            return true;
        },
        [&](Cell& cell, uint32_t words) {
            if (check && !reported)
                reported =
                    report_unordered(cell, words, global.sets, {.what = std::string(what), .writes = true}, true);
            cell.wrote(mine, 0);
        });
}

void HostTracker::read(memory::Allocation& allocation, uint64_t address, uint64_t bytes, const events::Order& order,
                       events::OperationId id, std::string_view what) {
    const bool check = !order.unordered.empty() && allocation.shadow;
    // Work that nothing orders with it may still write the bytes.
    const bool of_device =
        allocation.kind == memory::AllocationKind::device || allocation.kind == memory::AllocationKind::module_variable;
    const bool record = order.by_host || (!order.alone && of_device);
    const bool to_host = order.to_host && allocation.kind == memory::AllocationKind::device;
    if (!check && !record && !to_host && !allocation.lifetime)
        return;
    begin(order, id, what);
    check_lifetime(allocation, what);
    constexpr size_t most_looked_at = 4096;
    if (!check)
        looked_at_.clear();
    first_look_ =
        check && order.by_host && looked_at_.size() < most_looked_at && looked_at_.insert(address).second ? address : 0;
    Ordering& ordering = core_.ordering;
    GlobalShadow& global = core_.shadow(allocation);
    if (to_host)
        report_unwritten(global, address - allocation.address, bytes, what);
    if (!check && !record)
        return;
    const WarpClock no_order(0, 0, 0, 0, core_.nothing);
    const Epoch mine = make_epoch(EpochKind::host, ordering.operations.base(), 0, 0, 0);
    bool reported = false;
    for_range(
        global, address - allocation.address, bytes,
        [&](GlobalShadow::Page& page) {
            return !record && !page.rows && last_write_is_fine(ordering, no_order, 0, page.write);
        },
        [&](Cell& cell, uint32_t words) {
            if (check && !reported)
                reported = report_unordered(cell, words, global.sets, {.what = std::string(what)}, false);
            if (record)
                record_read(ordering, no_order, 1, cell, global.sets, mine, 0, one_lane, words);
        });
}

void HostTracker::free(memory::Allocation& allocation, const events::Order& order, events::OperationId id,
                       std::string_view what) {
    begin(order, id, what);
    if (order.unordered.empty() || !allocation.shadow)
        return;
    Ordering& ordering = core_.ordering;
    GlobalShadow& global = core_.shadow(allocation);
    const WarpClock no_order(0, 0, 0, 0, core_.nothing);
    bool reported = false;
    for_range(
        global, 0, allocation.bytes,
        [&](GlobalShadow::Page& page) {
            return reported || (!page.rows && last_write_is_fine(ordering, no_order, 0, page.write));
        },
        [&](Cell& cell, uint32_t words) {
            reported = reported || report_unordered(cell, words, global.sets,
                                                    {.what = std::string(what), .writes = true, .frees = true}, true);
        });
}

void HostTracker::report_unwritten(GlobalShadow& global, uint64_t offset, uint64_t bytes, std::string_view what) {
    struct Run {
        uint64_t first, end;
    };
    std::vector<Run> runs; // of bytes that nothing has written
    const auto add = [&](uint64_t first, uint64_t end) {
        if (!runs.empty() && runs.back().end == first)
            runs.back().end = end;
        else if (runs.size() < 65)
            runs.push_back({first, end});
    };
    constexpr uint64_t none = UINT64_MAX;
    uint64_t at = offset, unwritten = none; // where the last part began, if nothing has written it
    const uint64_t end = offset + bytes;
    const auto look_at = [&](const Cell& cell, uint64_t first) {
        if (unwritten != none)
            add(unwritten, first);
        unwritten = cell.write ? none : first;
    };
    while (at < end) {
        const GlobalShadow::Page& page = global.pages[at / GlobalShadow::page_bytes];
        const uint64_t stop = std::min(end, (at / GlobalShadow::page_bytes + 1) * GlobalShadow::page_bytes);
        if (!page.rows) {
            if (!page.write)
                add(at, stop);
        } else {
            for_cells(
                at, stop - at, global.pool, GlobalCells{&global, 0},
                [&](Cell& cell, uint64_t first, uint32_t) {
                    look_at(cell, first);
                    return true;
                },
                look_at);
            look_at(Cell{.write = 1}, stop);
        }
        at = stop;
    }
    // Short gaps that repeat are the padding of structures, and one may be that of a single one.
    constexpr uint64_t padding = 64;
    const bool whole = runs.size() == 1 && runs[0].first == offset && runs[0].end == end;
    const bool matters = whole || (runs.size() == 1 && bytes > padding) ||
                         std::ranges::any_of(runs, [](const Run& run) { return run.end - run.first >= padding; });
    if (!matters)
        return;
    Place here;
    here.site = core_.ordering.operations.current().site;
    const auto longest = std::ranges::max_element(runs, {}, [](const Run& run) { return run.end - run.first; });
    auto finding = core_.findings.explain(
        UnwrittenDownload{std::string(what), longest->first - offset, longest->end - offset, bytes}, std::move(here));
    if (finding)
        finding->kernel = "host code";
    core_.findings.add(std::move(finding));
}

void HostTracker::check_lifetime(const memory::Allocation& allocation, std::string_view what) {
    if (!allocation.lifetime)
        return;
    Place here;
    here.site = core_.ordering.operations.current().site;
    core_.check_lifetime(allocation, std::string(what), std::move(here));
}

} // namespace sim::hazards
