#include <bit>

#include "sim/detector/trackers.h"

namespace sim::hazards {

using By = TensorUse::By;
using Why = TensorConflict::Why;

struct TensorTracker::Check {
    Exec& x;
    uint32_t lanes; ///< of the warp that make the access
    TensorUse now;
    uint64_t mine = 0;             ///< in uses_; 0: it is not remembered, because it frees the cells
    uint64_t fine = 0;             ///< an access before it that is known to be in order
    uint32_t lane = 0, column = 0; ///< of the cell
};

TensorShadow& TensorTracker::shadow_of(Block& block) {
    auto& shadow = BlockState::of(block).tensor;
    if (!shadow)
        shadow = std::make_unique<TensorShadow>();
    return *shadow;
}

TensorUse TensorTracker::use_of(Exec& x, uint32_t lane) const {
    const WarpClock& clock = WarpState::of(x.warp).clock;
    return {.block = clock.block, .warp = clock.warp, .lane = lane, .pc = x.pc(), .tick = clock.tick};
}

/// Is some lane of this warp ordered after what that warp did until then? They execute these instructions as one.
bool TensorTracker::knows(const WarpClock& clock, uint64_t block, uint32_t warp, uint32_t tick) const {
    if (clock.block == block && clock.warp == warp)
        return true;
    for (uint32_t mine = 0; mine < 32; ++mine) {
        if (const Chunk* chunk = clock.clock(mine)->chunk(block))
            for (uint32_t lane = 0; lane < 32; ++lane)
                if (chunk->at(Plane::generic, warp, lane) >= tick)
                    return true;
        if (clock.one_clock())
            break;
    }
    return false;
}

/// The other access is tcgen05.ld or .st: complete when its warp has waited.
std::optional<TensorConflict> TensorTracker::judge_move(Check& check, const TensorUse& other) const {
    const TensorUse& now = check.now;
    const WarpClock& clock = WarpState::of(check.x.warp).clock;
    const bool own = other.block == clock.block && other.warp == clock.warp;
    if (other.waited_tick && knows(clock, other.block, other.warp, other.waited_tick))
        return std::nullopt;
    // tcgen05.dealloc is no asynchronous operation: what is complete before any barrier is over, even a relaxed one.
    const bool frees = !check.mine;
    if (frees && other.waited_tick &&
        check.x.grid.cluster_barrier(check.x.block.cluster).completions > other.waited_phase)
        return std::nullopt;
    if (!own && !knows(clock, other.block, other.warp, other.tick))
        return TensorConflict{.why = Why::unordered};
    // Values that are stored again mostly depend on the registers that were loaded. Columns that were loaded may be
    // freed when the registers are used (NVIDIA/cutlass#2525).
    if (own && !now.is_operation() && now.wrote)
        return std::nullopt;
    if (!other.wrote && frees)
        return std::nullopt;
    return TensorConflict{.why = Why::not_waited};
}

/// The other access is that of an operation which a commit tracks.
std::optional<TensorConflict> TensorTracker::judge_operation(Check& check, const TensorUse& other) const {
    const TensorUse& now = check.now;
    const WarpClock& clock = WarpState::of(check.x.warp).clock;
    const BulkOp* op = core_.ordering.bulk.find(other.number);
    if (!op)
        return std::nullopt;
    for (uint32_t rest = check.lanes; rest; rest &= rest - 1)
        if (core_.ordering.ordered(clock, uint32_t(std::countr_zero(rest)), BulkOps::epoch(other.number)))
            return std::nullopt;
    const BulkOp* mine = now.is_operation() ? core_.ordering.bulk.find(now.number) : nullptr;
    if (mine && mine->tensor_group == op->tensor_group && Ordering::issue_ordered(clock, now.lane, *op)) {
        // Pipelines. Reads by an earlier operation are not in the manual's list, but programs rely on the order.
        if (!other.wrote || other.by != By::mma || now.by == By::shift ||
            (now.by == By::mma && now.accumulator == other.accumulator))
            return std::nullopt;
        if (now.wrote)
            return TensorConflict{.why = Why::overlap};
    }
    if (const auto* commit = core_.ordering.commits.first_after(*op)) {
        TensorConflict conflict{.why = Why::unawaited, .commit_pc = commit->pc};
        conflict.barrier = core_.barriers.of(commit->barrier);
        const PhaseWait& wait = WarpState::of(check.x.warp).history.phase_waits[size_t(std::countr_zero(check.lanes))];
        const auto waited_for = [&](const TensorCommits::Arrival& arrival) {
            return wait.barrier == arrival.barrier && wait.phase >= arrival.phase;
        };
        if (wait.relaxed && core_.ordering.commits.any_after(*op, waited_for)) {
            conflict.why = Why::relaxed;
        } else if (const auto* empty = core_.ordering.commits.empty_by_another(*op, waited_for)) {
            conflict.why = Why::committed_elsewhere;
            conflict.commit_pc = empty->pc;
            conflict.barrier = core_.barriers.of(wait.barrier);
        }
        return conflict;
    }
    if (const auto* commit = core_.ordering.commits.by_another(*op); commit && commit->number > other.number)
        return TensorConflict{.why = Why::committed_elsewhere, .commit_pc = commit->pc};
    return TensorConflict{.why = Why::uncommitted};
}

std::optional<TensorConflict> TensorTracker::judge(Check& check, const TensorUse& other) const {
    if (!core_.ordering.operations.own(other.block))
        return std::nullopt; // a kernel that runs side by side: the allocator keeps their columns apart
    return other.is_operation() ? judge_operation(check, other) : judge_move(check, other);
}

void TensorTracker::report(Check& check, TensorConflict conflict, const TensorUse& other) {
    const TensorUse& now = check.now;
    // Whoever does not wait before an earlier access does not wait before the deallocation either.
    const bool frees = !check.mine, first = conflict.why == Why::unordered || core_.first_time(other.pc, ~8u);
    if (!core_.first_time(now.pc, other.pc) || (frees && !first))
        return;
    const Distance distance = other.block != now.block ? Distance::other_block
                              : other.warp != now.warp ? Distance::same_block
                                                       : Distance::same_warp;
    conflict.meant_first = conflict.why == Why::unordered && core_.intent.leads(now.pc, other.pc, distance) &&
                           !same_code(core_.places.at(now.pc, {}), core_.places.at(other.pc, {}));
    if (conflict.why == Why::not_waited && !other.wrote)
        conflict.unused = core_.intent.unused_before_release(other.pc);
    conflict.now = now;
    conflict.other = other;
    conflict.frees = frees;
    conflict.lane = check.lane;
    conflict.column = check.column;
    Place there = core_.places.at(other.pc, {});
    there.threads.add(other.block - core_.ordering.operations.base(), other.warp * 32,
                      other.is_operation() ? 1u << other.lane : ~0u);
    core_.findings.report(conflict, core_.here(check.x, check.lanes), std::move(there));
}

void TensorTracker::touch(Check& check, const events::TensorCells& cells) {
    const auto look_at = [&](TensorCell::Ref& ref, uint16_t mask) {
        if (!ref.use || !(ref.mask & mask) || ref.use == check.fine || ref.use == check.mine)
            return;
        const TensorUse* other = uses_.find(ref.use);
        if (auto conflict = other ? judge(check, *other) : std::nullopt)
            report(check, std::move(*conflict), *other);
        check.fine = ref.use; // or reported
    };
    shadow_of(*cells.block).for_cells(cells, [&](TensorCell& cell, uint16_t mask, uint32_t lane, uint32_t column) {
        check.lane = lane;
        check.column = column;
        look_at(cell.write, mask);
        if (!check.now.wrote) {
            // A later read of the same warp or thread is ordered before whatever the earlier one is ordered before.
            TensorCell::Ref* free = &cell.reads[0];
            for (TensorCell::Ref& ref : cell.reads) {
                const TensorUse* by = ref.use ? uses_.find(ref.use) : nullptr;
                const bool same = by && by->block == check.now.block && by->warp == check.now.warp;
                if (!by || same) {
                    free = &ref;
                    break;
                }
            }
            *free = {check.mine, mask};
            return;
        }
        for (TensorCell::Ref& ref : cell.reads)
            look_at(ref, mask);
        cell.reads = {};
        cell.write = {check.mine, mask};
    });
}

void TensorTracker::access(Exec& x, const events::TensorAccess& access) {
    Check check{x, x.mask, use_of(x, 0)};
    check.now.by = access.store ? By::store : By::load;
    check.now.wrote = access.store;
    check.mine = uses_.add(check.now);
    WarpState::of(x.warp).tensor_moves.push_back(check.mine);
    for (const events::TensorCells& cells : access.cells)
        touch(check, cells);
}

void TensorTracker::wait(Exec& x, bool stores) {
    WarpState& warp = WarpState::of(x.warp);
    std::erase_if(warp.tensor_moves, [&](uint64_t number) {
        TensorUse* use = uses_.find(number);
        if (use && (use->by == By::store) != stores)
            return false;
        if (use) {
            use->waited_tick = warp.clock.tick;
            use->waited_phase = x.grid.cluster_barrier(x.block.cluster).completions;
        }
        return true;
    });
}

/// Reports a matrix that an mma reads although nothing has written any cell of it. Where some have been written, the
/// others mostly belong to rows or columns whose results nobody uses.
void TensorTracker::check_written(Exec& x, const events::TensorIssue& issue) {
    for (const char operand : {'D', 'A', 'S', 's'}) {
        const events::TensorCells* first = nullptr;
        bool written = false;
        for (const events::TensorCells& cells : issue.cells) {
            if (cells.written || cells.name != operand)
                continue;
            first = first ? first : &cells;
            shadow_of(*cells.block).for_cells(cells, [&](const TensorCell& cell, uint16_t, uint32_t, uint32_t) {
                written = written || cell.write.use;
            });
        }
        if (first && !written && core_.first_time(x.pc(), ~uint32_t(operand)))
            core_.findings.report(TensorUnwritten{operand, first->lane, first->column},
                                  core_.here(x, 1u << uint32_t(issue.lane)));
    }
}

/// Was the operand written in another arrangement than the descriptor reads? Its first bytes stand for all of them.
void TensorTracker::compare_layouts(Exec& x, uint32_t lane, const events::TensorIssue::Shared& operand) {
    const events::MatrixOperand& matrix = operand.matrix;
    if (matrix.bytes.empty())
        return;
    SharedShadow& shared = BlockState::of(*operand.block).shadow;
    const Cell& cell = SharedCells{shared}(matrix.bytes.front().offset);
    const BulkOp* copy = core_.ordering.bulk.find_epoch(cell.write);
    if (!copy || copy->swizzle <= 0 || uint32_t(copy->swizzle) == matrix.swizzle ||
        !core_.first_time(x.pc(), cell.write_pc | 1u << 31))
        return;
    core_.findings.report(TensorArranged{matrix.name, matrix.swizzle, uint32_t(copy->swizzle)},
                          core_.here(x, 1u << lane), core_.places.of(cell.write, cell.write_pc, {}));
}

void TensorTracker::issue(Exec& x, const events::TensorIssue& issue) {
    const auto lane = uint32_t(issue.lane);
    if (issue.kind == events::TensorIssue::Kind::mma)
        check_written(x, issue);
    TensorUse use = use_of(x, lane);
    use.number = issue.number;
    use.by = issue.kind == events::TensorIssue::Kind::mma  ? By::mma
             : issue.kind == events::TensorIssue::Kind::cp ? By::cp
                                                           : By::shift;
    BulkOp op;
    op.block = use.block;
    op.warp = use.warp;
    op.lane = lane;
    op.pc = use.pc;
    op.tick = use.tick;
    op.by_barrier = false;
    op.tensor_group = issue.group;
    op.index = issue.index;
    core_.ordering.bulk.add(op);
    for (const auto& operand : issue.operands) {
        if (issue.kind == events::TensorIssue::Kind::mma)
            compare_layouts(x, lane, operand);
        bulk_.operand(x, lane, issue.number, *operand.block, operand.matrix.bytes);
    }
    uint64_t accumulator = 0;
    for (const events::TensorCells& cells : issue.cells)
        if (cells.written && !accumulator)
            accumulator = uint64_t{issue.shape} << 32 | cells.lane << 16 | cells.column;
    for (const bool written : {false, true}) { // what it reads was there before
        use.wrote = written;
        use.accumulator = accumulator;
        Check check{x, 1u << lane, use};
        for (const events::TensorCells& cells : issue.cells) {
            if (cells.written != written)
                continue;
            if (!check.mine)
                check.mine = uses_.add(use);
            check.now.operand = cells.name;
            // Its own accumulator: the write is judged.
            if (written || cells.name != 'D')
                touch(check, cells);
        }
    }
}

/// The blocks of the cluster that these mbarriers belong to.
static uint32_t ranks_of(std::span<events::Mbarrier* const> barriers) {
    uint32_t ranks = 0;
    for (const events::Mbarrier* barrier : barriers)
        ranks |= 1u << barrier->owner->cluster_rank;
    return ranks;
}

void TensorTracker::commit(Exec& x, const events::TensorCommit& commit) {
    WarpClock& clock = WarpState::of(x.warp).clock;
    BulkOp none; // its number is one of those of bulk copies
    none.block = clock.block;
    none.by_barrier = false;
    core_.ordering.bulk.add(none);
    core_.ordering.commits.add(clock.block, clock.warp, uint32_t(commit.lane),
                               {.number = commit.number,
                                .group = commit.group,
                                .upto = commit.upto,
                                .pc = x.pc(),
                                .barrier = commit.barriers.empty() ? 0 : commit.barriers[0]->id,
                                .offset = commit.barriers.empty() ? 0 : commit.barriers[0]->offset,
                                .ranks = ranks_of(commit.barriers),
                                .released = clock.released(1u << uint32_t(commit.lane)),
                                .arrivals = {}});
}

void TensorTracker::arrive(uint64_t number, events::Mbarrier& barrier) {
    TensorCommits::Commit* commit = core_.ordering.commits.find(number);
    if (!commit)
        return;
    auto& clock = *static_cast<MbarrierClock*>(barrier.kept.get());
    commit->arrivals.push_back({clock.block, barrier.id, barrier.phase});
    clock.arriving.join(commit->released);
}

void TensorTracker::fence(Exec& x, uint32_t mask, bool after) {
    WarpState& warp = WarpState::of(x.warp);
    core_.atomics.fence(warp.clock, after ? events::Semantics::acquire : events::Semantics::release, events::Scope::gpu,
                        mask, x.pc());
    if (after) {
        if (warp.tensor_seen)
            warp.clock.acquire(mask, warp.tensor_seen);
        warp.tensor_seen = nullptr;
        return;
    }
    warp.tensor_fenced = warp.clock.released(mask);
    for (const uint64_t number : warp.tensor_moves)
        if (TensorUse* use = uses_.find(number))
            use->fenced = true;
}

void TensorTracker::free(Exec& x, const events::TensorCells& cells) {
    Check check{x, x.mask, use_of(x, 0)};
    check.now.wrote = true;
    touch(check, cells);
}

} // namespace sim::hazards
