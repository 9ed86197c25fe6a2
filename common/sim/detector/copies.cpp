#include <bit>

#include "sim/detector/barrier_memory.h"
#include "sim/detector/trackers.h"

namespace sim::hazards {
namespace {

constexpr uint64_t at_once = 16;       // warp instructions between the last copy and the wait for it
constexpr uint32_t waits_to_judge = 4; // a single tile cannot overlap with anything

/// Do the copies of lanes side by side, from `first` on, write a quad? How many are they? 0: they do not.
uint32_t lanes_of_quad(const events::CopyIssue& copy, uint32_t first) {
    const uint32_t lanes = 16 / copy.bytes, all = ((1u << lanes) - 1) << first;
    if (first + lanes > 32 || (copy.mask & all) != all || copy.destination[first] % 16)
        return 0;
    for (uint32_t i = 1; i < lanes; ++i)
        if (copy.destination[first + i] != copy.destination[first] + i * copy.bytes)
            return 0;
    return lanes;
}

} // namespace

bool CopyTracker::write_quad(Exec& x, const events::CopyIssue& copy, uint32_t first, LastWrites& last_writes) {
    const WarpClock& clock = WarpState::of(x.warp).clock;
    SharedShadow& shared = BlockState::of(x.block).shadow;
    Cell& quad = SharedCells{shared}(copy.destination[first]);
    const Step step = step_of(copy.bytes);
    if (quad.split || BlockState::of(x.block).barrier_memory.near(copy.destination[first], 16))
        return false;
    const auto read = [&](uint32_t i) {
        return reads_ordered(core_.ordering, clock, first + (i >> step), quad.part(i), shared.sets, Proxy::generic,
                             false, nullptr);
    };
    const auto all = [](auto&& fine) { return fine(0u) && fine(1u) && fine(2u) && fine(3u); };
    if (!last_writes.quad_is_fine(quad, first, step) ||
        (quad.read && !core_.ordering.ordered_for_all(clock, quad.read) && !all(read)))
        return false;
    quad.wrote(make_epoch(EpochKind::copy, clock.block, clock.warp, first, copy.index), x.pc(), step);
    return true;
}

bool CopyTracker::read_quad(Exec& x, const events::CopyIssue& copy, uint32_t first, LastWrites& last_writes) {
    const Step step = step_of(copy.bytes);
    for (uint32_t i = 0; i < 16 / copy.bytes; ++i)
        if (copy.source_bytes[first + i] != copy.bytes ||
            copy.source[first + i] != copy.source[first] + uint64_t{i} * copy.bytes)
            return false;
    memory::Allocation* allocation = core_.memory.find(copy.source[first]);
    if (!watched(allocation))
        return allocation && allocation->holds(copy.source[first], 16);
    GlobalShadow& global = core_.shadow(*allocation);
    const GlobalCells cells{&global, allocation->address};
    if (!allocation->holds(copy.source[first], 16) || cells.in_quad(copy.source[first]))
        return false;
    Cell& quad = cells(copy.source[first]);
    const WarpClock& clock = WarpState::of(x.warp).clock;
    const Reader reader{make_epoch(EpochKind::copy, clock.block, clock.warp, 0, copy.index), 1u << first, x.pc()};
    if (quad.split || quad.write == 0 || !(quad.read == 0 || can_remember(quad, step)))
        return false;
    if (!last_writes.quad_is_fine(quad, first, step))
        return false;
    if (quad.read == 0)
        quad.read_by(reader, step);
    else if (quad.read == reader.epoch)
        quad.read_mask |= reader.mask;
    else
        record_read(core_.ordering, clock, reader.mask, quad, global.sets, reader.epoch, x.pc(), step);
    return true;
}

void CopyTracker::write_destination(Exec& x, const events::CopyIssue& copy, uint32_t lane) {
    const WarpClock& clock = WarpState::of(x.warp).clock;
    SharedShadow& shared = BlockState::of(x.block).shadow;
    const Epoch mine = make_epoch(EpochKind::copy, clock.block, clock.warp, lane, copy.index);
    barrier_memory::write(core_, x, lane, x.block, copy.destination[lane], copy.bytes, mine, true);
    for_cells(copy.destination[lane], copy.bytes, shared.pool, SharedCells{shared}, [&](Cell& cell, uint64_t at) {
        core_.check_write(x, lane, cell, shared.sets, Role::copy_destination, Proxy::generic, {&x.block, at});
        cell.wrote(mine, x.pc());
    });
}

void CopyTracker::read_source(Exec& x, const events::CopyIssue& copy, uint32_t lane) {
    memory::Allocation* allocation = copy.source_bytes[lane] ? core_.memory.find(copy.source[lane]) : nullptr;
    if (!watched(allocation))
        return;
    const WarpClock& clock = WarpState::of(x.warp).clock;
    GlobalShadow& global = core_.shadow(*allocation);
    const Epoch reader = make_epoch(EpochKind::copy, clock.block, clock.warp, 0, copy.index);
    bool undefined = true;
    for_cells(copy.source[lane], copy.source_bytes[lane], global.pool, GlobalCells{&global, allocation->address},
              [&](Cell& cell, uint64_t at) {
                  undefined = undefined && cell.write == 0;
                  core_.check_read(x, lane, cell, Role::copy_source, Proxy::generic, {nullptr, at});
                  if (cell.read == 0) {
                      cell.read = reader;
                      cell.read_mask = 1u << lane;
                      cell.read_pc = x.pc();
                  } else if (cell.read == reader) {
                      cell.read_mask |= 1u << lane;
                  } else {
                      record_read(core_.ordering, clock, 1u << lane, cell, global.sets, reader, x.pc());
                  }
              });
    if (undefined)
        core_.findings.add(
            core_.explain(x, {lane, Role::copy_source, {nullptr, copy.source[lane]}, 0, 0, true, false}));
}

void CopyTracker::issue(Exec& x, const events::CopyIssue& copy) {
    WarpState& warp = WarpState::of(x.warp);
    warp.clock.copies_used = true;
    warp.history.copies_issued = copy.index;
    warp.history.last_copy_at = x.warp.instructions + x.executed;
    SharedShadow& shared = BlockState::of(x.block).shadow;
    LastWrites in_shared(core_.ordering, warp.clock, false, core_.ordering.operations.over()), in_global = in_shared;
    uint32_t previous = 32;
    for (uint32_t rest = copy.mask; rest;) {
        const auto first = uint32_t(std::countr_zero(rest));
        const uint32_t lanes = lanes_of_quad(copy, first), end = first + std::max(lanes, 1u);
        rest = end < 32 ? rest & ~0u << end : 0;
        // cooperative_groups::memcpy_async lets the lanes past the end of a warp's share repeat its last copy.
        if (previous < 32 && copy.destination[first] == copy.destination[previous] &&
            copy.source[first] == copy.source[previous] && copy.source_bytes[first] == copy.source_bytes[previous])
            continue;
        previous = end - 1;
        const bool written = lanes && write_quad(x, copy, first, in_shared),
                   read = lanes && read_quad(x, copy, first, in_global);
        for (uint32_t lane = first; lane < end; ++lane) {
            if (!written)
                write_destination(x, copy, lane);
            if (!read)
                read_source(x, copy, lane);
        }
        if (lanes && !written)
            shared.pool.join(SharedCells{shared}(copy.destination[first]),
                             make_epoch(EpochKind::copy, warp.clock.block, warp.clock.warp, first, copy.index), x.pc(),
                             step_of(copy.bytes));
    }
}

void CopyTracker::commit(Warp& warp, uint32_t mask, uint32_t issued) {
    WarpState& state = WarpState::of(warp);
    state.history.remember(WarpHistory::Commit{issued, mask, state.clock.tick});
}

void CopyTracker::wait(Exec& x, uint32_t mask, const Lanes& done, uint32_t n, uint32_t issued) {
    WarpState& warp = WarpState::of(x.warp);
    WarpHistory& history = warp.history;
    const uint32_t commits = history.commits_dropped + uint32_t(history.commits.size());
    machine::for_lanes(mask, [&](int lane) {
        uint32_t& known = warp.clock.copies_done[size_t(lane)];
        known = std::max(known, done[size_t(lane)]);
        history.group_waits[size_t(lane)] = {x.pc(), n, issued, commits, history.bulk_issued};
    });
    // Waits that come at once after the copies: nothing overlaps.
    ++history.wait_count;
    const bool all =
        history.copies_issued && warp.clock.copies_done[size_t(std::countr_zero(mask))] == history.copies_issued;
    if (all && x.warp.instructions + x.executed - history.last_copy_at <= at_once)
        ++history.waits_at_once;
    if (history.waits_at_once >= waits_to_judge && 2 * history.waits_at_once > history.wait_count &&
        core_.first_time(x.pc(), x.pc()))
        core_.findings.report(NoOverlap{history.waits_at_once, history.wait_count}, core_.here(x, mask));
}

} // namespace sim::hazards
