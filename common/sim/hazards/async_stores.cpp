// st.async and red.async: writes through the generic proxy that complete on an mbarrier of the receiving block.
#include "sim/hazards/detector.h"

namespace sim::hazards {

uint64_t Detector::async_store_issue(Exec& x, const Op& op, int lane, Block& destination, uint32_t offset,
                                     uint32_t bytes, const BarrierClock& barrier, bool reduction) {
    const uint64_t number = first_async_ + async_ops_.size();
    const WarpState& ws = state(x.warp);
    AsyncOp record;
    record.block = ws.block;
    record.warp = ws.warp;
    record.lane = uint32_t(lane);
    record.pc = x.pc();
    record.tick = ws.tick;
    record.barrier = barrier.id;
    record.barrier_block = barrier.block;
    record.issued_in = barrier.phase;
    record.reduction = reduction;
    async_ops_.push_back(record);
    const Epoch mine = Epoch(EpochKind::async) << kind_shift | number;
    bulk_memo_ = {};
    SharedShadow& target = state(destination).shadow;
    for_cells(
        offset, bytes, target.pool, [&](uint64_t at) -> Cell& { return target.cells[at / 4]; },
        [&](Cell& cell) {
            bulk_write(x, op, uint32_t(lane), mine, cell, target.sets, Proxy::generic, ptx::Space::shared, reduction);
        });
    return number;
}

} // namespace sim::hazards
