#include <bit>

#include "sim/detector/trackers.h"

namespace sim::hazards {
namespace {

bool by_kernel(Epoch e) {
    const EpochKind kind = kind_of(e);
    return kind == EpochKind::plain || kind == EpochKind::strong || kind == EpochKind::copy;
}

} // namespace

void MapTracker::release(Exec& x, uint32_t mask, Scope scope) {
    (scope == Scope::cta ? BlockState::of(x.block).map_releases : releases_).release(WarpState::of(x.warp).clock, mask);
}

void MapTracker::acquire(Exec& x, uint32_t lane, uint64_t address, Scope scope) {
    BlockState::of(x.block).map_acquires.acquire(WarpState::of(x.warp).clock, lane, address, scope);
}

void MapTracker::copy(Exec& x, Block& source, uint32_t offset, uint64_t address) {
    const WarpClock& clock = WarpState::of(x.warp).clock;
    SharedShadow& from = BlockState::of(source).shadow;
    memory::Allocation* allocation = core_.memory.find(address);
    // Each lane copies four bytes: their writer must be ordered before it.
    for (uint32_t word = 0; word < 32; ++word) {
        const uint32_t lane = x.mask >> word & 1 ? word : uint32_t(std::countr_zero(x.mask));
        const Epoch reader = make_epoch(EpochKind::plain, clock.block, clock.warp, 0, clock.tick);
        for_cells(offset + 4 * word, 4, from.pool, SharedCells{from}, [&](Cell& cell, uint64_t at) {
            core_.check_read(x, lane, cell, Role::copy_source, Proxy::generic, {&source, at});
            record_read(core_.ordering, clock, 1u << lane, cell, from.sets, reader, x.pc());
        });
        if (!allocation)
            continue;
        GlobalShadow& global = core_.shadow(*allocation);
        for_cells(address + 4 * word, 4, global.pool, GlobalCells{&global, allocation->address},
                  [&](Cell& cell, uint64_t at) {
                      core_.check_write(x, lane, cell, global.sets, Role::store, Proxy::generic, {nullptr, at});
                      cell.wrote(make_epoch(EpochKind::plain, clock.block, clock.warp, lane, clock.tick), x.pc());
                  });
    }
}

/// Why a map that a kernel has modified cannot be used yet; nullopt: it can.
std::optional<MapUnready> MapTracker::unready(Exec& x, uint32_t lane, uint64_t address, Epoch modified) const {
    using Why = MapUnready::Why;
    const WarpClock& clock = WarpState::of(x.warp).clock;
    const BlockState& block = BlockState::of(x.block);
    if (!releases_.covers(modified) && !(block_of(modified) == clock.block && block.map_releases.covers(modified))) {
        const BlockState* writer = core_.blocks.find(block_of(modified));
        return MapUnready{writer && writer->map_releases.covers(modified) ? Why::release_too_narrow
                                                                          : Why::not_released};
    }
    switch (block.map_acquires.acquired(core_.ordering, clock, lane, address, modified)) {
    case MapAcquires::Answer::yes:
        return std::nullopt;
    case MapAcquires::Answer::too_narrow:
        return MapUnready{Why::acquire_too_narrow};
    case MapAcquires::Answer::no:
        break;
    }
    const bool elsewhere = core_.blocks.any_of(
        [&](const BlockState& other) { return other.id != block.id && other.map_acquires.any(address); });
    return MapUnready{elsewhere ? Why::acquired_elsewhere : Why::not_acquired};
}

void MapTracker::use(Exec& x, uint32_t lane, uint64_t address, uint64_t copy) {
    memory::Allocation* allocation = core_.memory.find(address);
    if (!watched(allocation))
        return;
    const WarpClock& clock = WarpState::of(x.warp).clock;
    GlobalShadow& global = core_.shadow(*allocation);
    // A copy may read its map until it is complete, or until a wait of its issuer for its group's reads.
    const Epoch me =
        copy ? BulkOps::map_read(copy) : make_epoch(EpochKind::plain, clock.block, clock.warp, 0, clock.tick);
    const uint32_t mask = copy ? 1 : 1u << lane;
    Epoch modified = 0;
    uint32_t modified_pc = 0;
    bool by_host = false, judged = false;
    std::optional<MapUnready> why;
    for_cells(address, 128, global.pool, GlobalCells{&global, allocation->address}, [&](Cell& cell) {
        const Epoch e = cell.write;
        by_host = by_host || kind_of(e) == EpochKind::host;
        if (by_kernel(e) && !judged && e != modified) {
            modified = e;
            modified_pc = cell.write_pc;
            if (!core_.ordering.ordered(clock, lane, e)) {
                core_.findings.add(
                    core_.explain(x, {lane, Role::async_read, {nullptr, address}, e, cell.write_pc, true, false}));
                judged = true;
            } else if ((why = unready(x, lane, address, e))) {
                judged = true;
            }
        }
        if (cell.read == me) {
            cell.read_mask |= mask;
        } else if (cell.read == 0) {
            cell.read = me;
            cell.read_mask = mask;
            cell.read_pc = x.pc();
        } else {
            record_read(core_.ordering, clock, mask, cell, global.sets, me, x.pc());
        }
    });
    if (!modified && by_host) {
        using Answer = MapAcquires::Answer;
        const Answer answer = BlockState::of(x.block).map_acquires.acquired(core_.ordering, clock, lane, address, 0);
        if (answer != Answer::yes && core_.first_time(x.pc(), 0))
            why = MapUnready{answer == Answer::no ? MapUnready::Why::host : MapUnready::Why::host_beyond_acquire};
    }
    if (!why || core_.said_enough(x.pc(), modified_pc))
        return;
    std::optional<Place> there;
    if (modified)
        there = core_.places.of(modified, modified_pc, {});
    core_.findings.report(*why, core_.here(x, 1u << lane), std::move(there));
}

} // namespace sim::hazards
