#include "sim/detector/trackers.h"

namespace sim::hazards {

/// Were the bytes written in another arrangement than the descriptor reads?
void MatrixTracker::compare_layouts(Reading& reading, const Cell& cell) {
    const BulkOp* copy = core_.ordering.bulk.find_epoch(cell.write);
    if (!copy || copy->swizzle < 0)
        return;
    const events::MatrixOperand& operand = reading.operand;
    const bool same = uint32_t(copy->swizzle) == operand.swizzle;
    if ((same && operand.base_offset % operand.base_period == 0) ||
        !core_.first_time(reading.x.pc(), cell.write_pc | 1u << 31))
        return;
    const Place there = core_.places.of(cell.write, cell.write_pc, {});
    core_.findings.report(events::Misuse(events::DescriptorMismatch{
                              operand.name, operand.swizzle, uint32_t(copy->swizzle), operand.base_offset, {}}),
                          core_.here(reading.x, ~0u), there);
}

/// The warps of the group have met here: it is enough if one of them is ordered after the write.
bool MatrixTracker::ordered(const Reading& reading, Epoch write) const {
    const Block& block = reading.x.block;
    for (uint32_t i = 0; i < 4; ++i)
        if (core_.ordering.ordered(WarpState::of(*block.warps[reading.first_warp + i]).clock, 0, write,
                                   Proxy::async_shared))
            return true;
    return false;
}

void MatrixTracker::follows(Reading& reading, const Cell& cell) {
    reading.fine = cell.write;
    compare_layouts(reading, cell);
}

bool MatrixTracker::read_quad(Reading& reading, Cell& quad, ReadSets& sets) {
    const bool several = quad.write_step != one_lane && has_lane(quad.write);
    if (quad.write && (several || quad.write != reading.fine)) {
        for (uint32_t i = 0; i < (several ? 4 : 1); ++i)
            if (!ordered(reading, quad.part(i).write))
                return false;
        follows(reading, quad);
    }
    record_read(reading, quad, sets);
    return true;
}

void MatrixTracker::read(Reading& reading, Cell& cell, ReadSets& sets, uint64_t at) {
    if (cell.write && cell.write != reading.fine) {
        if (ordered(reading, cell.write))
            follows(reading, cell);
        else
            core_.check_read(reading.x, 0, cell, Role::matrix_read, Proxy::async_shared, {&reading.x.block, at});
    }
    record_read(reading, cell, sets);
}

void MatrixTracker::record_read(const Reading& reading, Cell& cell, ReadSets& sets) {
    sets.keep();
    const BulkOp* before = core_.ordering.bulk.find_epoch(cell.read);
    const WarpClock& clock = WarpState::of(reading.x.warp).clock;
    // Operations of a warpgroup complete in order.
    if (cell.read == 0 ||
        (before && before->matrix && before->block == clock.block && before->warp == reading.first_warp))
        cell.read_by({reading.mine, 1, reading.x.pc()});
    else
        hazards::record_read(core_.ordering, clock, 1, cell, sets, reading.mine, reading.x.pc());
}

void MatrixTracker::issue(Exec& x, const events::MatrixIssue& issue) {
    const WarpClock& clock = WarpState::of(x.warp).clock;
    BulkOp op;
    op.block = clock.block;
    op.warp = issue.first_warp;
    op.pc = x.pc();
    op.tick = clock.tick;
    op.by_barrier = false;
    op.matrix = true;
    op.index = issue.index;
    core_.ordering.bulk.add(op);
    SharedShadow& shared = BlockState::of(x.block).shadow;
    for (const events::MatrixOperand& operand : issue.operands) {
        Reading reading{x, operand, issue.first_warp, BulkOps::epoch(issue.number)};
        for (const BulkBytes& piece : operand.bytes)
            for_cells(
                piece.offset, piece.bytes, shared.pool, SharedCells{shared.cells.data()},
                [&](Cell& quad, uint64_t) { return read_quad(reading, quad, shared.sets); },
                [&](Cell& cell, uint64_t at) { read(reading, cell, shared.sets, at); });
    }
}

void MatrixTracker::wait(Exec& x, const events::MatrixWait& wait) {
    WarpState& warp = WarpState::of(x.warp);
    warp.clock.matrices_done = std::max(warp.clock.matrices_done, wait.done);
    warp.history.matrix_wait = {x.pc(), wait.n, wait.issued, wait.committed};
}

} // namespace sim::hazards
