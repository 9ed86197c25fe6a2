#include <bit>

#include "sim/detector/barrier_memory.h"
#include "sim/detector/trackers.h"

namespace sim::hazards {
namespace {

constexpr uint64_t at_once = 16;       // warp instructions between the last copy and the wait for it
constexpr uint32_t waits_to_judge = 4; // a single tile cannot overlap with anything

} // namespace

void CopyTracker::write_destination(Exec& x, const events::CopyIssue& copy, uint32_t lane) {
    const WarpClock& clock = WarpState::of(x.warp).clock;
    SharedShadow& shared = BlockState::of(x.block).shadow;
    const Epoch mine = make_epoch(EpochKind::copy, clock.block, clock.warp, lane, copy.index);
    barrier_memory::write(core_, x, lane, x.block, copy.destination[lane], copy.bytes, mine, true);
    for_cells(copy.destination[lane], copy.bytes, shared.pool, SharedCells{shared.cells.data()},
              [&](Cell& cell, uint64_t at) {
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
    uint32_t previous = 32;
    machine::for_lanes(copy.mask, [&](int i) {
        const auto lane = uint32_t(i);
        // cooperative_groups::memcpy_async lets the lanes past the end of a warp's share repeat its last copy.
        if (previous < 32 && copy.destination[lane] == copy.destination[previous] &&
            copy.source[lane] == copy.source[previous] && copy.source_bytes[lane] == copy.source_bytes[previous])
            return;
        previous = lane;
        write_destination(x, copy, lane);
        read_source(x, copy, lane);
    });
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
