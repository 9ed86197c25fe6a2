#include "sim/provenance/epilogues.h"

#include <algorithm>

#include "sim/machine/exec.h"

namespace sim::provenance {

using namespace events;

namespace {

constexpr uint32_t most_warps = 64; // of a block
constexpr uint32_t of_cluster = UINT32_MAX;

uint32_t number(const Warp& warp) {
    return warp.block.cluster_rank * most_warps + warp.id;
}

} // namespace

Epilogues::Known::Of& Epilogues::Known::of(uint32_t warp) {
    const auto at = std::ranges::lower_bound(all, warp, {}, &Of::warp);
    return at != all.end() && at->warp == warp ? *at : *all.insert(at, Of{warp});
}

void Epilogues::Known::join(const Known& other) {
    for (const Of& more : other.all) {
        Of& mine = of(more.warp);
        mine.work = std::max(mine.work, more.work);
        mine.moves = std::max(mine.moves, more.moves);
    }
}

Epilogues::State* Epilogues::find(const Block& block) {
    if (states_.empty())
        return nullptr;
    const auto at = states_.find({&block.grid, block.cluster});
    return at == states_.end() ? nullptr : &at->second;
}

void Epilogues::launch_begin(const Grid& grid) {
    std::erase_if(states_, [&](const auto& one) {
        if (one.first.first != &grid)
            return false;
        for (const Move& move : one.second.moves)
            count(sum_, move);
        return true;
    });
}

/// Of the warps that multiply, the one whose products are ordered least after it counts: tiles may take turns.
void Epilogues::count(Epilogue& sum, const Move& move) {
    double share = -1;
    for (const Next& next : move.next)
        if (next.total)
            share = std::max(share, static_cast<double>(next.beside) / static_cast<double>(next.total));
    if (share < 0) // no tile follows
        return;
    const auto beside = static_cast<uint64_t>(share * static_cast<double>(move.amount));
    (move.store ? sum.stores : sum.loads) += move.amount;
    (move.store ? sum.stores_beside : sum.loads_beside) += beside;
}

Epilogue Epilogues::sum() const {
    Epilogue sum = sum_;
    for (const auto& [_, state] : states_)
        for (const Move& move : state.moves)
            count(sum, move);
    return sum;
}

void Epilogues::issue(const Warp& warp, const TensorIssue& issue) {
    if (issue.kind != TensorIssue::Kind::mma)
        return;
    State& state = states_[{&warp.block.grid, warp.block.cluster}];
    const uint64_t work = uint64_t{issue.shape >> 16} * (issue.shape & 0xffff);
    sum_.work += work;
    sum_.paired += issue.group == 2 ? work : 0;
    const TensorCells* sums = nullptr;
    bool adds = false;
    for (const TensorCells& cells : issue.cells) {
        adds |= cells.name == 'D' && !cells.written;
        sums = sums || !cells.written ? sums : &cells;
    }
    if (sums) {
        const auto same = [&](const Run& run) { return run.block == sums->block && run.column == sums->column; };
        const auto run = std::ranges::find_if(state.runs, same);
        if (run != state.runs.end() && adds && !run->loaded) {
            run->work += work;
        } else {
            std::erase_if(state.runs, [&](const Run& old) {
                return old.block == sums->block && old.column < sums->column + sums->columns &&
                       sums->column < old.column + old.columns;
            });
            state.runs.push_back({sums->block, sums->column, sums->columns, work});
        }
    }
    const uint32_t me = number(warp);
    uint64_t& issued = state.issued[me];
    Known& known = state.of(me);
    sum_.drained += issued && known.of(me).work >= issued;
    for (Move& move : state.moves) {
        auto next = std::ranges::find(move.next, me, &Next::issuer);
        if (next == move.next.end())
            next = move.next.insert(next, {me, issued, issued + move.work});
        const uint64_t from = std::max(issued, next->from), until = std::min(issued + work, next->until);
        if (from >= until)
            continue;
        next->total += until - from;
        next->beside += known.of(move.warp).moves < move.index ? until - from : 0;
    }
    issued += work;
    std::erase_if(state.moves, [&](const Move& move) {
        const bool judged = std::ranges::all_of(state.issued, [&](const auto& by) {
            const auto next = std::ranges::find(move.next, by.first, &Next::issuer);
            return next != move.next.end() && by.second >= next->until;
        });
        if (judged)
            count(sum_, move);
        return judged;
    });
}

void Epilogues::commit(const Warp& warp, const TensorCommit& commit) {
    State* state = find(warp.block);
    if (!state)
        return;
    Known known = state->of(number(warp));
    known.of(number(warp)).work = state->issued[number(warp)];
    commits_[commit.number] = {{&warp.block.grid, warp.block.cluster}, std::move(known)};
}

void Epilogues::commit_arrives(uint64_t number, const Mbarrier& barrier) {
    const auto at = commits_.find(number);
    if (at == commits_.end())
        return;
    if (const auto state = states_.find(at->second.first); state != states_.end())
        state->second.barriers[{nullptr, barrier.id}].arriving.join(at->second.second);
}

void Epilogues::add(State& state, const Warp& warp, uint64_t amount, bool store) {
    const uint32_t me = number(warp);
    Known& known = state.of(me);
    Move move{me, ++known.of(me).moves, amount, state.work, store};
    for (const auto& [issuer, issued] : state.issued) {
        const uint64_t from = known.of(issuer).work, until = from + state.work;
        const uint64_t already = std::min(issued, until) - std::min(issued, from);
        move.next.push_back({issuer, from, until, already, already});
    }
    state.moves.push_back(std::move(move));
}

void Epilogues::load(const Warp& warp, const TensorAccess& access) {
    State* state = find(warp.block);
    if (!state || access.store)
        return;
    for (const TensorCells& cells : access.cells) {
        const auto run = std::ranges::find_if(state->runs, [&](const Run& one) {
            return one.block == cells.block && one.column <= cells.column && cells.column < one.column + one.columns;
        });
        if (run == state->runs.end())
            continue; // no product has written them
        run->loaded = true;
        state->work = run->work;
        add(*state, warp, uint64_t{cells.lanes} * cells.columns, false);
    }
}

void Epilogues::store(const Warp& warp, uint64_t bytes) {
    if (State* state = find(warp.block); state && state->work && bytes)
        add(*state, warp, bytes, true);
}

void Epilogues::arrive(const Warp& warp, const Mbarrier& barrier) {
    if (State* state = find(warp.block))
        state->barriers[{nullptr, barrier.id}].arriving.join(state->of(number(warp)));
}

void Epilogues::complete(const Mbarrier& barrier) {
    if (State* state = find(*barrier.owner)) {
        Sync& sync = state->barriers[{nullptr, barrier.id}];
        sync.done = sync.arriving;
    }
}

void Epilogues::acquire(const Warp& warp, const Mbarrier& barrier) {
    if (State* state = find(warp.block))
        state->of(number(warp)).join(state->barriers[{nullptr, barrier.id}].done);
}

void Epilogues::arrive(const Warp& warp, const Block* block, uint32_t id) {
    if (State* state = find(warp.block))
        state->barriers[{block, block ? id : of_cluster}].arriving.join(state->of(number(warp)));
}

void Epilogues::complete(const Block& any, const Block* block, uint32_t id) {
    if (State* state = find(any)) {
        Sync& sync = state->barriers[{block, block ? id : of_cluster}];
        sync.done = sync.arriving;
    }
}

void Epilogues::release(const Warp& warp, const Block* block, uint32_t id) {
    if (State* state = find(warp.block))
        state->of(number(warp)).join(state->barriers[{block, block ? id : of_cluster}].done);
}

} // namespace sim::provenance
