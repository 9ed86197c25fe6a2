#include "sim/detector/barrier_memory.h"

#include <algorithm>
#include <bit>

namespace sim::hazards::barrier_memory {
namespace {

using Why = BarrierMemoryReused::Why;

constexpr uint32_t object_bytes = 8;

MbarrierClock& clock_of(const events::Mbarrier& barrier) {
    return *static_cast<MbarrierClock*>(barrier.kept.get());
}

/// Uses and copies that nothing orders before the data: an error. False: there are none.
bool still_used(Core& core, Exec& x, uint32_t lane, const events::Mbarrier& barrier, bool copy) {
    const WarpClock& clock = WarpState::of(x.warp).clock;
    Reader bad;
    if (!uses_ordered(core, clock, lane, barrier, &bad)) {
        core.findings.report(BarrierMemoryReused{Why::use_unordered, copy}, core.here(x, 1u << lane),
                             core.places.of(bad.epoch, bad.pc, {}));
        return true;
    }
    for (const auto& under_way : clock_of(barrier).issued)
        if (!core.ordering.ordered(clock, lane, under_way.copy)) {
            const BulkOp* op = core.ordering.bulk.find_epoch(under_way.copy);
            core.findings.report(BarrierMemoryReused{Why::copy_unfinished, copy}, core.here(x, 1u << lane),
                                 core.places.of(under_way.copy, op ? op->pc : 0, {}));
            return true;
        }
    return false;
}

/// The memory is data from here on: nothing that happened to the mbarrier matters to it.
void forget_uses(const events::Mbarrier& barrier, bool copy) {
    SharedShadow& shared = BlockState::of(*barrier.owner).shadow;
    for_cells(barrier.offset, object_bytes, shared.pool, SharedCells{shared}, [&](Cell& cell) {
        cell.read = 0;
        if (copy) // the copy needs no proxy fence after mbarrier.init
            cell.write = Epoch(EpochKind::old) << kind_shift;
    });
}

bool cleared(const events::Mbarrier& barrier) {
    const std::byte* bytes = barrier.owner->shared.data() + barrier.offset;
    return std::all_of(bytes, bytes + object_bytes, [](std::byte b) { return b == std::byte{}; });
}

void report_unused(Core& core, const BarrierMemory::Reused& one) {
    core.findings.report(BarrierMemoryReused{Why::unused_since, one.copy}, core.places.of(one.by, one.pc, {}),
                         core.places.at(one.init_pc, {}));
}

} // namespace

void begin(const events::Mbarrier& barrier, Core& core) {
    BarrierMemory& memory = BlockState::of(*barrier.owner).barrier_memory;
    clock_of(barrier).anew = std::erase_if(memory.live, [&](const auto& one) { return one.offset == barrier.offset; });
    memory.live.push_back({barrier.offset, &barrier});
    memory.begin = std::min(memory.begin, barrier.offset);
    memory.end = std::max(memory.end, barrier.offset + object_bytes);
    std::erase_if(memory.reused, [&](const auto& one) {
        if (one.offset != barrier.offset)
            return false;
        if (!cleared(barrier)) // else mbarrier.init has been reported: that is no other use of the memory
            report_unused(core, one);
        return true;
    });
}

void end(const events::Mbarrier& barrier) {
    BarrierMemory& memory = BlockState::of(*barrier.owner).barrier_memory;
    std::erase_if(memory.live, [&](const auto& one) { return one.barrier == &barrier; });
}

void write(Core& core, Exec& x, uint32_t lane, Block& owner, uint64_t offset, uint64_t bytes, Epoch by, bool copy) {
    BarrierMemory& memory = BlockState::of(owner).barrier_memory;
    if (!memory.near(offset, bytes))
        return;
    std::erase_if(memory.live, [&](const auto& one) {
        if (offset >= one.offset + object_bytes || offset + bytes <= one.offset)
            return false;
        const events::Mbarrier& barrier = *one.barrier;
        if (!still_used(core, x, lane, barrier, copy))
            memory.reused.push_back({one.offset, by, x.pc(), clock_of(barrier).init_pc, copy});
        clock_of(barrier).overwritten = true;
        forget_uses(barrier, copy);
        return true;
    });
}

void write(Core& core, Exec& x, const events::Access& access) {
    const BarrierMemory& memory = BlockState::of(*access.target).barrier_memory;
    if (memory.live.empty())
        return;
    const WarpClock& clock = WarpState::of(x.warp).clock;
    machine::for_lanes(access.mask, [&](int i) {
        const auto lane = uint32_t(i);
        if (memory.near(access.address[lane], access.bytes))
            write(core, x, lane, *access.target, access.address[lane], access.bytes,
                  make_epoch(EpochKind::plain, clock.block, clock.warp, lane, clock.tick), false);
    });
}

bool used_after_data(Core& core, Exec& x, uint32_t mask, const events::Mbarrier& barrier) {
    if (!clock_of(barrier).overwritten)
        return false;
    BarrierMemory& memory = BlockState::of(*barrier.owner).barrier_memory;
    std::erase_if(memory.reused, [&](const auto& one) {
        if (one.offset != barrier.offset)
            return false;
        core.findings.report(BarrierMemoryReused{Why::used_since, one.copy}, core.places.of(one.by, one.pc, {}),
                             core.here(x, mask));
        return true;
    });
    return true;
}

void block_end(Core& core, Block& block) {
    BarrierMemory& memory = BlockState::of(block).barrier_memory;
    for (const auto& one : memory.reused)
        report_unused(core, one);
    memory = {};
}

bool uses_ordered(const Core& core, const WarpClock& clock, uint32_t lane, const events::Mbarrier& barrier,
                  Reader* bad) {
    MbarrierClock& kept = clock_of(barrier);
    kept.settle_uses();
    // One lane may speak for its warp: the destructor of cuda::pipeline gathers them with match.sync.
    for (const MbarrierClock::Use& use : kept.uses) {
        bool before = false;
        for (uint64_t other = 0; other < 32 && !before; ++other)
            before = core.ordering.ordered(clock, lane, use.epoch | other << lane_shift);
        if (before || kept.used_before_copy(use.epoch, use.mask,
                                            [&](Epoch copy) { return core.ordering.ordered(clock, lane, copy); }))
            continue;
        *bad = {use.epoch | uint64_t(std::countr_zero(use.mask)) << lane_shift, use.mask, use.pc};
        return false;
    }
    return true;
}

} // namespace sim::hazards::barrier_memory
