// Bulk copies: accesses through the async proxy.
#include <algorithm>

#include <fmt/format.h>

#include "sim/hazards/detector.h"

namespace sim::hazards {
namespace {

AsyncOp record_of(const WarpState& ws, int lane, uint32_t pc) {
    AsyncOp record;
    record.block = ws.block;
    record.warp = ws.warp;
    record.lane = uint32_t(lane);
    record.pc = pc;
    record.tick = ws.tick;
    return record;
}

bool watched(const memory::Allocation* allocation) {
    return allocation && allocation->kind != memory::AllocationKind::parameters &&
           allocation->kind != memory::AllocationKind::constant;
}

} // namespace

void Detector::bulk_read(Exec& x, const Op& op, uint32_t lane, Epoch mine, Cell& cell, ReadSets& sets, Proxy proxy,
                         ptx::Space space) {
    WarpState& ws = state(x.warp);
    check_read(x, op, ws, lane, cell, Role::async_read, proxy, space);
    sets.keep();
    if (cell.read == 0 || cell.read == mine) {
        cell.read = mine;
        cell.read_mask = 1;
        cell.read_pc = x.pc();
    } else {
        record_read(ws, 1, cell, sets, mine, x.pc());
    }
}

void Detector::bulk_write(Exec& x, const Op& op, uint32_t lane, Epoch mine, Cell& cell, const ReadSets& sets, Proxy proxy,
                          ptx::Space space, bool reduction) {
    WarpState& ws = state(x.warp);
    // Concurrent reductions into the same bytes do not race.
    const bool both_reduce = reduction && kind_of(cell.write) == EpochKind::async && number_of(cell.write) >= first_async_ &&
                             async_ops_[number_of(cell.write) - first_async_].reduction;
    const bool write_fine = both_reduce || cell.write == bulk_memo_.write || ordered(ws, lane, cell.write, proxy);
    if (!write_fine) {
        emit(conflict(x, op, ws, lane, Role::async_write, cell.write, cell.write_pc, true, space));
    } else {
        bulk_memo_.write = cell.write;
        if (cell.read && (cell.read != bulk_memo_.read || cell.read_pc != bulk_memo_.read_pc)) {
            Reader bad;
            if (!reads_ordered(ws, lane, cell, sets, Proxy::generic, false, &bad)) {
                emit(conflict(x, op, ws, lane, Role::async_write, bad.epoch, bad.pc, false, space));
            } else {
                const auto kind = kind_of(cell.read);
                const Chunk* chunk = kind == EpochKind::plain ? ws.clock(lane)->chunk(block_of(cell.read)) : nullptr;
                if (chunk && chunk->is_uniform(Plane::generic, warp_of(cell.read)) &&
                    chunk->at(Plane::generic, warp_of(cell.read), 0) >= tick_of(cell.read)) {
                    bulk_memo_.read = cell.read; // whichever lanes of that warp read: all are ordered
                    bulk_memo_.read_pc = cell.read_pc;
                }
                // Ordered, but through the generic proxy only: a note, once per pair of lines.
                const uint64_t pair = uint64_t{x.pc()} << 32 | cell.read_pc;
                if (!noted_pairs_.contains(pair) && !reads_ordered(ws, lane, cell, sets, proxy, false, &bad)) {
                    noted_pairs_.insert(pair);
                    emit(conflict(x, op, ws, lane, Role::async_write, bad.epoch, bad.pc, false, space));
                }
            }
        }
    }
    cell.write = mine;
    cell.write_pc = x.pc();
    cell.read = 0;
}

uint64_t Detector::bulk_load_issue(Exec& x, const Op& op, int lane, Block& destination, Block* source_block,
                                   std::span<const BulkBytes> bytes, const BarrierClock& barrier, bool reduction) {
    const uint64_t number = first_async_ + async_ops_.size();
    AsyncOp record = record_of(state(x.warp), lane, x.pc());
    record.barrier = barrier.id;
    record.barrier_block = barrier.block;
    record.elsewhere = barrier.block != state(destination).id;
    record.issued_in = barrier.phase;
    record.announced = barrier.expects;
    record.reduction = reduction;
    async_ops_.push_back(record);
    const Epoch mine = Epoch(EpochKind::async) << kind_shift | number;
    bulk_memo_ = {};
    const auto l = uint32_t(lane);
    SharedShadow& target = state(destination).shadow;
    for (const BulkBytes& piece : bytes) {
        for_cells(piece.offset, piece.bytes, target.pool, [&](uint64_t at) -> Cell& { return target.cells[at / 4]; },
                  [&](Cell& cell) {
                      bulk_write(x, op, l, mine, cell, target.sets, Proxy::async_shared, ptx::Space::shared, reduction);
                  });
        if (source_block) {
            SharedShadow& source = state(*source_block).shadow;
            for_cells(piece.address, piece.bytes, source.pool,
                      [&](uint64_t at) -> Cell& { return source.cells[at / 4]; },
                      [&](Cell& cell) {
                          bulk_read(x, op, l, mine, cell, source.sets, Proxy::async_shared, ptx::Space::shared);
                      });
        } else if (auto* allocation = piece.inside ? memory_.find(piece.address) : nullptr; watched(allocation)) {
            GlobalShadow& global = shadow(*allocation);
            for_cells(piece.address - allocation->address, piece.bytes, global.pool,
                      [&](uint64_t at) -> Cell& { return global.cell(at); },
                      [&](Cell& cell) {
                          bulk_read(x, op, l, mine, cell, global.sets, Proxy::async_global, ptx::Space::global);
                      });
        }
    }
    return number;
}

uint64_t Detector::bulk_store_issue(Exec& x, const Op& op, int lane, std::span<const BulkBytes> bytes, uint32_t index,
                                    bool reduction) {
    const uint64_t number = first_async_ + async_ops_.size();
    AsyncOp record = record_of(state(x.warp), lane, x.pc());
    record.by_barrier = false;
    record.index = index;
    state(x.warp).bulk_issued = index;
    record.reduction = reduction;
    async_ops_.push_back(record);
    const Epoch mine = Epoch(EpochKind::async) << kind_shift | number;
    bulk_memo_ = {};
    const auto l = uint32_t(lane);
    SharedShadow& source = state(x.block).shadow;
    for (const BulkBytes& piece : bytes) {
        for_cells(piece.offset, piece.bytes, source.pool, [&](uint64_t at) -> Cell& { return source.cells[at / 4]; },
                  [&](Cell& cell) {
                      if (piece.inside)
                          bulk_read(x, op, l, mine, cell, source.sets, Proxy::async_shared, ptx::Space::shared);
                  });
        auto* allocation = piece.inside ? memory_.find(piece.address) : nullptr;
        if (!watched(allocation))
            continue;
        GlobalShadow& global = shadow(*allocation);
        for_cells(piece.address - allocation->address, piece.bytes, global.pool,
                  [&](uint64_t at) -> Cell& { return global.cell(at); },
                  [&](Cell& cell) {
                      bulk_write(x, op, l, mine, cell, global.sets, Proxy::async_global, ptx::Space::global, reduction);
                  });
    }
    return number;
}

void Detector::bulk_wait(Exec& x, uint32_t mask, const Lanes& upto, bool read_only) {
    WarpState& ws = state(x.warp);
    ws.last_bulk_wait_pc = x.pc();
    ws.last_bulk_wait_copies = ws.copies_issued;
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        if (!upto[size_t(std::countr_zero(rest))])
            state(x.block).idle_bulk_wait_pc = x.pc();
    ws.bulk_used = true;
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1) {
            ws.bulk_waits[lane] = {x.pc(), ws.bulk_issued};
            ws.bulk_read[lane] = std::max(ws.bulk_read[lane], upto[lane]);
            if (!read_only)
                ws.bulk_done[lane] = std::max(ws.bulk_done[lane], upto[lane]);
        }
}

void Detector::bulk_commit(Warp& warp, uint32_t mask, uint32_t issued) {
    WarpState& ws = state(warp);
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        ws.bulk_committed[size_t(std::countr_zero(rest))] = issued;
}

void Detector::bulk_landed(uint64_t number, uint32_t phase, uint64_t bytes, int64_t expected) {
    if (number < first_async_)
        return;
    AsyncOp& op = async_ops_[number - first_async_];
    op.landed = true;
    op.phase = phase;
    op.bytes = bytes;
    op.expected = expected;
}

bool Detector::bulk_known(Warp& warp, uint32_t mask, uint64_t number) {
    const WarpState& ws = state(warp);
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        if (number < first_async_ ||
            ordered(ws, uint32_t(std::countr_zero(rest)), Epoch(EpochKind::async) << kind_shift | number))
            return true;
    return false;
}

void Detector::bulk_source_outlives(uint64_t number) {
    if (number < first_async_)
        return;
    const AsyncOp& op = async_ops_[number - first_async_];
    Finding finding;
    finding.rule = find_rule("exit-before-completion");
    finding.first = place(Epoch(EpochKind::async) << kind_shift | number, op.pc,
                          op.by_barrier ? "issued a bulk copy from the shared memory of a block that then ended"
                                        : "issued a bulk store, and ended before the store had read its source");
    finding.message =
        op.by_barrier ? "The copy completes on an mbarrier of the receiving block, and nobody in this one was told that it "
                        "has: its shared memory may belong to another block before it has been read."
                      : "The block's shared memory may be given to another block before the copy has read it.";
    finding.remedy = op.by_barrier ? "Synchronise the cluster after the receiver's wait, before the block's threads end."
                                   : "Wait for the bulk group (.read is enough) before the thread ends.";
    emit(std::move(finding));
}

void Detector::bulk_outlives(Warp& warp, uint64_t number, bool from_peer) {
    if (number < first_async_)
        return;
    Finding finding;
    finding.rule = find_rule("exit-before-completion");
    finding.first = place(Epoch(EpochKind::async) << kind_shift | number, async_ops_[number - first_async_].pc,
                          "issued a bulk copy into the shared memory of a block that then ended");
    finding.message = from_peer ? fmt::format("Block {} of the cluster ended before the copy had arrived: its shared memory "
                                              "may belong to another block by then.",
                                              warp.block.linear)
                                : "Nobody waited for the copy: it may arrive when the shared memory belongs to another "
                                  "block already.";
    finding.remedy = from_peer ? "Wait for the copy's mbarrier phase in the receiving block, or synchronise the cluster, "
                                 "before its threads end."
                               : "Wait for the copy's mbarrier phase before the last thread ends, or do not issue it.";
    emit(std::move(finding));
}

} // namespace sim::hazards
