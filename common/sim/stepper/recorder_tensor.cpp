// The recorder's view of tcgen05: Tensor Memory, the operations on it, and the commits that track them.
#include <algorithm>
#include <utility>

#include "sim/stepper/ranges.h"
#include "sim/stepper/recorder.h"

namespace sim::stepper {

using provenance::Origin;

namespace {

constexpr uint32_t lanes_together = 16, tensor_lanes = 128, tensor_columns = 512;
constexpr size_t most_ranges = 16;

/// Does `next` go on where `last` ends, in columns or in lanes?
bool extends(const Cells& last, const Cells& next) {
    if (last.block != next.block || last.written != next.written)
        return false;
    const bool columns =
        last.lane == next.lane && last.lanes == next.lanes && last.column + last.columns == next.column;
    const bool lanes =
        last.column == next.column && last.columns == next.columns && last.lane + last.lanes == next.lane;
    return columns || lanes;
}

bool contains(const Cells& all, const Cells& part) {
    return all.block == part.block && all.lane <= part.lane && part.lane + part.lanes <= all.lane + all.lanes &&
           all.column <= part.column && part.column + part.columns <= all.column + all.columns;
}

void add_cells(std::vector<Cells>& all, const Cells& next) {
    if (std::any_of(all.begin(), all.end(), [&](const Cells& one) { return contains(one, next); }))
        return; // of an accumulator, for example, what is read
    if (all.empty() || !extends(all.back(), next)) {
        all.push_back(next);
    } else if (Cells& last = all.back(); last.lane == next.lane) {
        last.columns += next.columns;
    } else {
        last.lanes += next.lanes;
    }
}

/// A swizzled tile is many pieces: small gaps close.
void simplify(std::vector<Range>& ranges) {
    constexpr uint32_t gap = 112;
    unite(ranges);
    if (ranges.size() <= most_ranges)
        return;
    for (Range& range : ranges)
        range.end += gap;
    unite(ranges);
    for (Range& range : ranges)
        range.end -= gap;
}

template <class F>
void for_groups(const Cells& cells, F&& f) {
    const uint32_t end = std::min(cells.lane + cells.lanes, tensor_lanes);
    for (uint32_t group = cells.lane / lanes_together; group * lanes_together < end; ++group)
        for (uint32_t column = cells.column; column < std::min(cells.column + cells.columns, tensor_columns); ++column)
            f(group * tensor_columns + column);
}

} // namespace

std::vector<Cells> Recorder::recorded(std::span<const events::TensorCells> cells) const {
    std::vector<Cells> all;
    for (const bool written : {true, false})
        for (const events::TensorCells& one : cells) {
            Cells here{rank(one.block), one.lane, one.lanes, one.column, one.columns, 1};
            if (one.written != written || here.block == none)
                continue;
            here.written = written;
            add_cells(all, here);
        }
    return all;
}

Origin Recorder::held(const std::vector<Cells>& cells, bool written) {
    Origin all = 0;
    for (const Cells& one : cells)
        if (const auto known = tensor_cells_.find(one.block);
            (one.written != 0) == written && known != tensor_cells_.end())
            for_groups(one, [&](uint32_t at) { all = origins_.join(all, known->second[at]); });
    return all;
}

void Recorder::put(const std::vector<Cells>& cells, Origin by) {
    for (const Cells& one : cells) {
        if (!one.written)
            continue;
        auto& known = tensor_cells_[one.block];
        known.resize(size_t{tensor_lanes / lanes_together} * tensor_columns);
        for_groups(one, [&](uint32_t at) { known[at] = by; });
    }
}

// --- operations and commits -----------------------------------------------------------------------------------------

void Recorder::tensor_issue(Exec& x, const events::TensorIssue& issue) {
    static constexpr const char* names[] = {"mma", "cp", "shift"};
    if (!ours(x.warp))
        return;
    settle(&x.warp);
    current_.copies = true;
    Step* step = add(Kind::t_issue, x.block, &x.warp, 1u << issue.lane);
    if (!step)
        return;
    step->number = uint32_t(issue.number);
    step->first = issue.index;
    step->group = issue.group;
    step->shape = issue.shape;
    step->text = names[size_t(issue.kind)];
    step->cells = recorded(issue.cells);
    Origin from = origins_.join(held(step->cells, false), held(step->cells, true));
    for (const auto& operand : issue.operands)
        for (const auto& piece : operand.matrix.bytes) {
            if (rank(operand.block) != none)
                from = origins_.join(from, held(operand.block, piece.offset, piece.bytes));
            if (operand.block == &x.block) // the peer's have the same place
                step->ranges.push_back({piece.offset, piece.offset + piece.bytes});
        }
    simplify(step->ranges);
    note_from(*step, from);
    put(step->cells, this_step());
    tensor_[issue.number] = {step->block, step->warp, step->mask, 1, step->cells};
}

void Recorder::tensor_done(uint64_t number) {
    const auto work = tensor_.find(number);
    if (work == tensor_.end())
        return;
    settle(nullptr);
    if (const Block* block = blocks_[work->second.block])
        if (Step* step = add(Kind::t_done, *block, nullptr, 0)) {
            step->number = uint32_t(number);
            step->cells = std::move(work->second.cells);
        }
    tensor_.erase(work);
}

void Recorder::tensor_commit(Exec& x, const events::TensorCommit& commit) {
    if (!ours(x.warp))
        return;
    settle(&x.warp);
    Step* step = add(Kind::t_commit, x.block, &x.warp, 1u << commit.lane);
    if (!step)
        return;
    step->number = uint32_t(commit.number);
    step->first = commit.upto;
    step->group = commit.group;
    for (const events::Mbarrier* one : commit.barriers)
        if (const uint32_t what = barrier(*one); what != none && step->what == none)
            step->what = what;
        else if (what != none)
            step->also.push_back(what);
    tensor_[commit.number] = {step->block, step->warp, step->mask, commit.barriers.size(), {}};
}

void Recorder::tensor_arrive(uint64_t commit, events::Mbarrier& arrived) {
    const auto work = tensor_.find(commit);
    if (work == tensor_.end())
        return;
    const uint32_t what = barrier(arrived);
    settle(nullptr);
    if (const Block* block = blocks_[work->second.block]; block && what != none)
        if (Step* step = add(Kind::t_arrive, *block, nullptr, 0)) {
            step->warp = work->second.warp;
            step->mask = work->second.mask;
            step->number = uint32_t(commit);
            step->first = arrived.phase;
            step->what = what;
        }
    if (!--work->second.left)
        tensor_.erase(work);
}

void Recorder::tensor_fence(Exec& x, uint32_t mask, bool after) {
    if (ours(x.warp)) {
        settle(&x.warp);
        if (Step* step = add(Kind::t_fence, x.block, &x.warp, mask))
            step->first = after;
    }
}

// --- a warp's own accesses ------------------------------------------------------------------------------------------

void Recorder::tensor_access(Exec& x, const events::TensorAccess& access) {
    if (!ours(x.warp))
        return;
    settle(&x.warp);
    if (!current_.steps.empty() && current_.steps.back().first != uint32_t(access.store))
        sealed_ = true; // a store behind a load, or the other way round
    Step* step = add_more(Kind::t_access, x.warp, x.mask, nullptr, false);
    if (!step)
        return;
    step->first = access.store;
    const std::vector<Cells> cells = recorded(access.cells);
    for (const Cells& one : cells)
        add_cells(step->cells, one);
    if (access.store) {
        note_from(*step, registers(x.warp).stored(x, origins_));
        put(cells, this_step());
    } else {
        registers(x.warp).loaded(x, held(cells, false), origins_);
    }
}

void Recorder::tensor_wait(Exec& x, bool stores) {
    if (ours(x.warp)) {
        settle(&x.warp);
        if (Step* step = add(Kind::t_wait, x.block, &x.warp, x.mask))
            step->first = stores;
    }
}

// --- allocations ----------------------------------------------------------------------------------------------------

void Recorder::tensor_allocated(Exec& x, const events::TensorCells& cells) {
    if (!ours(x.warp))
        return;
    settle(&x.warp);
    if (Step* step = add(Kind::t_alloc, x.block, &x.warp, x.mask)) {
        step->cells = recorded({&cells, 1});
        put(step->cells, 0);
    }
}

void Recorder::tensor_freed(Exec& x, const events::TensorCells& cells) {
    if (!ours(x.warp))
        return;
    settle(&x.warp);
    if (Step* step = add(Kind::t_free, x.block, &x.warp, x.mask))
        step->cells = recorded({&cells, 1});
}

} // namespace sim::stepper
