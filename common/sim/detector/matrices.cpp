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

/// Does the operand go on, behind a tile that has been waited for, in one that the same instruction copied for another
/// phase?
bool MatrixTracker::leaves_tile(const Reading& reading, const Cell& cell, uint64_t at) {
    const BulkOp* begun = core_.ordering.bulk.find_epoch(reading.fine);
    const BulkOp* other = core_.ordering.bulk.find_epoch(cell.write);
    if (!begun || !other || begun->matrix || !begun->by_barrier || !other->by_barrier ||
        begun->barrier == other->barrier || core_.places.kernel_line(begun->pc) != core_.places.kernel_line(other->pc))
        return false;
    const uint64_t first = reading.operand.bytes.front().offset;
    core_.findings.report(events::Misuse(events::OperandBeyondTile{reading.operand.name, at - std::min(at, first)}),
                          core_.here(reading.x, ~0u), core_.places.of(cell.write, cell.write_pc, {}));
    return true;
}

/// A warp of the group that is not ordered after a write; nullptr: there is none. The bytes of a copy are visible to
/// warps that have waited for it. Bytes that threads have written may be the rows of A that only their own warp reads:
/// then it is enough if one warp is ordered after the write, as the warps of the group have met here.
Warp* MatrixTracker::unordered_warp(const Reading& reading, Epoch write) const {
    const BulkOp* copy = core_.ordering.bulk.find_epoch(write);
    const bool each = copy && copy->by_barrier;
    for (uint32_t i = 0; i < 4; ++i) {
        Warp& warp = *reading.x.block.warps[reading.first_warp + i];
        bool ordered = false; // a lane that has waited stands for its warp, which executes the operation as one
        for (uint32_t lane = 0; lane < (each ? 32u : 1u) && !ordered; ++lane)
            ordered = last_write_is_fine(core_.ordering, WarpState::of(warp).clock, lane, write, {Proxy::async_shared});
        if (ordered != each)
            return each ? &warp : nullptr;
    }
    return each ? nullptr : &reading.x.warp;
}

void MatrixTracker::follows(Reading& reading, const Cell& cell) {
    reading.fine = cell.write;
    compare_layouts(reading, cell);
}

bool MatrixTracker::read_whole(Reading& reading, Cell& cell, uint32_t words, ReadSets& sets) {
    const bool several = cell.written_by_several(words);
    if (cell.write && (several || cell.write != reading.fine)) {
        for (uint32_t i = 0; i < (several ? words : 1); ++i)
            if (unordered_warp(reading, cell.part(i).write))
                return false;
        follows(reading, cell);
    }
    record_read(reading, cell, words, sets);
    return true;
}

void MatrixTracker::read(Reading& reading, Cell& cell, ReadSets& sets, uint64_t at) {
    if (cell.write && cell.write != reading.fine) {
        if (Warp* late = unordered_warp(reading, cell.write))
            report(reading, *late, cell, at);
        else
            follows(reading, cell);
    }
    record_read(reading, cell, quad_words, sets);
}

void MatrixTracker::report(const Reading& reading, Warp& late, const Cell& cell, uint64_t at) {
    Exec& x = reading.x;
    if (core_.said_enough(x.pc(), cell.write_pc) || leaves_tile(reading, cell, at))
        return;
    Place here = core_.places.at(x.pc(), {});
    here.threads.add(x.block.linear, late.id * 32, 1);
    const Unordered accesses{0, Role::matrix_read, {&x.block, at}, cell.write, cell.write_pc, true, false};
    core_.findings.add(core_.findings.explain(Conflict(core_.context, WarpState::of(late), x.pc(), accesses),
                                              std::move(here), core_.places.of(cell.write, cell.write_pc, {})));
}

void MatrixTracker::record_read(const Reading& reading, Cell& cell, uint32_t words, ReadSets& sets) {
    sets.keep();
    const BulkOp* before = core_.ordering.bulk.find_epoch(cell.read);
    const WarpClock& clock = WarpState::of(reading.x.warp).clock;
    // Operations of a warpgroup complete in order.
    if (cell.read == 0 ||
        (before && before->matrix && before->block == clock.block && before->warp == reading.first_warp))
        cell.read_by({reading.mine, 1, reading.x.pc()});
    else
        hazards::record_read(core_.ordering, clock, 1, cell, sets, reading.mine, reading.x.pc(), one_lane, words);
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
                piece.offset, piece.bytes, shared.pool, SharedCells{shared},
                [&](Cell& cell, uint64_t, uint32_t words) { return read_whole(reading, cell, words, shared.sets); },
                [&](Cell& cell, uint64_t at) { read(reading, cell, shared.sets, at); });
    }
    WarpHistory::Meeting meeting;
    for (uint32_t i = 0; i < meeting.ticks.size(); ++i)
        meeting.ticks[i] = WarpState::of(*x.block.warps[issue.first_warp + i]).clock.tick++;
    WarpState::of(*x.block.warps[issue.first_warp]).history.remember(meeting);
}

void MatrixTracker::wait(Exec& x, const events::MatrixWait& wait) {
    WarpState& warp = WarpState::of(x.warp);
    warp.clock.matrices_done = std::max(warp.clock.matrices_done, wait.done);
    warp.history.matrix_wait = {x.pc(), wait.n, wait.issued, wait.committed};
}

} // namespace sim::hazards
