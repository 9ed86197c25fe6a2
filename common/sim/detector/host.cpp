#include <fmt/format.h>

#include "sim/detector/trackers.h"

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

} // namespace

void HostTracker::write(memory::Allocation& allocation, uint64_t address, uint64_t bytes, const events::Order& order,
                        events::OperationId id, std::string_view what) {
    Ordering& ordering = core_.ordering;
    ordering.operations.begin(id, order, 1, std::string(what));
    const Epoch mine = make_epoch(EpochKind::host, ordering.operations.base(), 0, 0, 0);
    GlobalShadow& global = core_.shadow(allocation);
    const bool check = !order.unordered.empty();
    const WarpClock no_order(0, 0, 0, 0, core_.nothing);
    bool reported = false;
    auto look_at = [&](const Cell& cell, uint32_t words) {
        Reader bad;
        const bool write_fine = last_writes_are_fine(ordering, no_order, 0, cell, words);
        if (write_fine && reads_ordered(ordering, no_order, 0, cell, global.sets, Proxy::generic, false, &bad, words))
            return;
        reported = true;
        Place there = core_.places.of(write_fine ? bad.epoch : cell.write, write_fine ? bad.pc : cell.write_pc, {});
        const std::string other = there.kernel;
        core_.findings.report(HostConflict{std::string(what), true, !write_fine, other}, Place{}, std::move(there));
    };
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
                look_at(cell, words);
            cell.wrote(mine, 0);
        });
}

void HostTracker::read(memory::Allocation& allocation, uint64_t address, uint64_t bytes, const events::Order& order,
                       std::string_view what) {
    if (order.unordered.empty() || !allocation.shadow)
        return; // host reads are ordered with everything executed so far; a later write is checked against nothing
    Ordering& ordering = core_.ordering;
    ordering.operations.begin_unrecorded(order);
    const WarpClock no_order(0, 0, 0, 0, core_.nothing);
    bool reported = false;
    for_range(
        core_.shadow(allocation), address - allocation.address, bytes,
        [&](GlobalShadow::Page& page) { return !page.rows && last_write_is_fine(ordering, no_order, 0, page.write); },
        [&](Cell& cell, uint32_t words) {
            if (reported || last_writes_are_fine(ordering, no_order, 0, cell, words))
                return;
            reported = true;
            core_.findings.report(HostConflict{std::string(what), false, true, {}}, Place{},
                                  core_.places.of(cell.write, cell.write_pc, {}));
        });
}

} // namespace sim::hazards
