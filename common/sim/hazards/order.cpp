// What is ordered before what.
#include <algorithm>

#include "sim/hazards/detector.h"

namespace sim::hazards {

bool Detector::operation_ordered(uint64_t block) const {
    if (launch_.order.unordered.empty())
        return true;
    auto it = std::upper_bound(operations_.begin(), operations_.end(), block,
                               [](uint64_t b, const Operation& operation) { return b < operation.base; });
    if (it == operations_.begin())
        return true;
    const auto& unordered = launch_.order.unordered;
    return !std::binary_search(unordered.begin(), unordered.end(), std::prev(it)->id);
}

bool Detector::ordered(const WarpState& ws, uint32_t lane, Epoch e, Proxy proxy, bool was_read) const {
    switch (kind_of(e)) {
    case EpochKind::none:
    case EpochKind::old:
        return true;
    case EpochKind::host:
        return operation_ordered(block_of(e));
    case EpochKind::async: {
        const uint64_t number = number_of(e);
        if (number < launch_.async_base)
            return number < first_async_ || operation_ordered(async_ops_[number - first_async_].block);
        const AsyncOp& op = async_ops_[number - first_async_];
        if (op.by_barrier) {
            const Chunk* chunk = ws.clock(lane)->chunk(op.barrier_block);
            return op.landed && chunk && chunk->phases(op.barrier) > op.phase;
        }
        if (op.block == ws.block && op.warp == ws.warp && op.lane == lane)
            return (was_read ? ws.bulk_read : ws.bulk_done)[lane] >= op.index;
        const Chunk* chunk = ws.clock(lane)->chunk(op.block);
        return chunk && chunk->at(was_read ? Plane::bulk_read : Plane::bulk_done, op.warp, op.lane) >= op.index;
    }
    default:
        break;
    }
    const uint64_t block = block_of(e);
    if (block < launch_.base)
        return operation_ordered(block);
    const uint32_t warp = warp_of(e), other = lane_of(e), tick = tick_of(e);
    const bool copy = kind_of(e) == EpochKind::copy;
    if (block == ws.block && warp == ws.warp && other == lane) {
        if (copy) { // waited for, or told of by an mbarrier that tracked it
            const bool generic = proxy == Proxy::generic;
            if ((generic ? ws.copies_done : ws.copies_fenced)[lane] >= tick)
                return true;
            const Chunk* own = ws.clock(lane)->chunk(block);
            return own && own->at(generic ? Plane::copies : Plane::copies_fenced, warp, lane) >= tick;
        }
        switch (proxy) {
        case Proxy::generic:
            return true;
        case Proxy::async_shared:
            return ws.fenced_shared[lane] >= tick;
        case Proxy::async_global:
            return ws.fenced_global[lane] >= tick;
        }
    }
    const Chunk* chunk = ws.clock(lane)->chunk(block);
    if (!chunk)
        return false;
    Plane plane = Plane::generic;
    if (copy)
        plane = proxy == Proxy::generic ? Plane::copies : Plane::copies_fenced;
    else if (proxy == Proxy::async_shared)
        plane = Plane::fenced_shared;
    else if (proxy == Proxy::async_global)
        plane = Plane::fenced_global;
    return chunk->at(plane, warp, other) >= tick;
}

bool Detector::readers_ordered(const WarpState& ws, uint32_t lane, const Reader& readers, Proxy proxy,
                               Reader* bad) const {
    if (kind_of(readers.epoch) == EpochKind::async || kind_of(readers.epoch) == EpochKind::host ||
        kind_of(readers.epoch) == EpochKind::old) {
        if (ordered(ws, lane, readers.epoch, proxy, true))
            return true;
        if (bad)
            *bad = readers;
        return false;
    }
    for (uint32_t rest = readers.mask; rest; rest &= rest - 1) {
        const auto other = uint32_t(std::countr_zero(rest));
        const Epoch e = readers.epoch | uint64_t{other} << lane_shift;
        if (!ordered(ws, lane, e, proxy, true)) {
            if (bad)
                *bad = {e, 1u << other, readers.pc};
            return false;
        }
    }
    return true;
}

namespace {

// Neighbouring words are mostly read by neighbouring lanes, warp after warp. With masks turned so that the lane that
// came first is lane 0 (the cell remembers by how much), all these words share their sets. Bulk operations have no
// lanes.
Reader turned(Reader readers, uint32_t by) {
    if (kind_of(readers.epoch) != EpochKind::async)
        readers.mask = std::rotr(readers.mask, int(by));
    return readers;
}
Reader turned_back(Reader readers, uint32_t by) {
    if (kind_of(readers.epoch) != EpochKind::async)
        readers.mask = std::rotl(readers.mask, int(by));
    return readers;
}

} // namespace

bool Detector::reads_ordered(const WarpState& ws, uint32_t lane, const Cell& cell, const ReadSets& sets, Proxy proxy,
                             bool atomic, Reader* bad) const {
    if (!cell.read)
        return true;
    auto fine = [&](const Reader& readers) {
        return (atomic && kind_of(readers.epoch) == EpochKind::strong) ||
               readers_ordered(ws, lane, readers, proxy, bad);
    };
    if (kind_of(cell.read) != EpochKind::set)
        return fine({cell.read, cell.read_mask, cell.read_pc});
    return sets.all_of(cell.read, [&](const Reader& readers) { return fine(turned_back(readers, cell.read_mask)); });
}

void Detector::record_read(const WarpState& ws, uint32_t mask, Cell& cell, ReadSets& sets, Epoch mine, uint32_t pc) {
    const auto lane = uint32_t(std::countr_zero(mask));
    const Reader me{mine, mask, pc};
    const bool strong = kind_of(mine) == EpochKind::strong, async = kind_of(mine) == EpochKind::async;
    auto subsumed = [&](const Reader& old) {
        if (strong && kind_of(old.epoch) != EpochKind::strong)
            return false; // an atomic write excuses the strong read, not the plain one
        if (((old.epoch ^ mine) & thread_field) == 0 && kind_of(old.epoch) == kind_of(mine) && !async)
            return (old.mask & ~mask) == 0; // the same lanes again, later
        return readers_ordered(ws, lane, old, Proxy::generic, nullptr);
    };
    const bool is_set = kind_of(cell.read) == EpochKind::set;
    const uint32_t count = is_set ? sets.count(cell.read) : 0;
    if (count) {
        const Reader head = sets.newest(cell.read), turned_me = turned(me, cell.read_mask);
        if (head.epoch == mine && !async) {
            if (turned_me.mask & ~head.mask)
                cell.read = sets.with(sets.rest(cell.read), {mine, head.mask | turned_me.mask, head.pc});
            return;
        }
    }
    // Readers that are ordered before this one need not be remembered. Long sets are searched for such ones only each
    // time that they have doubled.
    if (count > 8 && (count & (count - 1))) {
        cell.read = sets.with(cell.read, turned(me, cell.read_mask));
        return;
    }
    Epoch kept = 0;
    const uint32_t turn = is_set ? cell.read_mask : async ? 0 : lane;
    Reader only = me;
    uint32_t others = 0;
    auto consider = [&](const Reader& old) {
        if (old.epoch == mine && !async) {
            only.mask |= old.mask;
        } else if (!subsumed(old)) {
            kept = sets.with(kept, turned(old, turn));
            ++others;
        }
        return true;
    };
    if (is_set)
        sets.all_of(cell.read, [&](const Reader& old) { return consider(turned_back(old, turn)); });
    else if (cell.read)
        consider({cell.read, cell.read_mask, cell.read_pc});
    if (!others) {
        cell.read = only.epoch;
        cell.read_mask = only.mask;
        cell.read_pc = only.pc;
        return;
    }
    cell.read = sets.with(kept, turned(only, turn));
    cell.read_mask = turn;
}

namespace {

/// Copies the sets that cells still name into `to`; shared chains are copied once.
class Mover {
  public:
    Mover(const ReadSets& from, ReadSets& to) : from_(from), to_(to) {}
    void move(Cell& cell) {
        if (kind_of(cell.read) == EpochKind::set)
            cell.read = from_.count(cell.read) ? moved(cell.read) : 0;
    }
    void move(SplitPool& pool) {
        for (auto& word : pool.words)
            for (size_t i = 0; i < 4; ++i)
                move(word[i]);
    }

  private:
    Epoch moved(Epoch set) {
        std::vector<Epoch> chain;
        Epoch done = 0;
        for (Epoch at = set; at; at = from_.rest(at)) {
            if (auto it = known_.find(at); it != known_.end()) {
                done = it->second;
                break;
            }
            chain.push_back(at);
        }
        for (; !chain.empty(); chain.pop_back())
            known_[chain.back()] = done = to_.with(done, from_.newest(chain.back()));
        return done;
    }
    const ReadSets& from_;
    ReadSets& to_;
    std::unordered_map<Epoch, Epoch> known_;
};

} // namespace

void Detector::collect_read_sets(SharedShadow& shadow) {
    ReadSets kept;
    kept.keep(); // a fresh generation could be mistaken for an older one
    Mover mover(shadow.sets, kept);
    for (auto& cell : shadow.cells)
        mover.move(cell);
    mover.move(shadow.pool);
    kept.raise_limit();
    shadow.sets = std::move(kept);
}

void Detector::collect_read_sets(GlobalShadow& shadow) {
    ReadSets kept;
    Mover mover(shadow.sets, kept);
    for (auto& page : shadow.pages)
        if (page.cells)
            for (uint64_t i = 0; i < GlobalShadow::page_words; ++i)
                mover.move(page.cells[i]);
    mover.move(shadow.pool);
    kept.raise_limit();
    shadow.sets = std::move(kept);
}

// --- synchronisation ------------------------------------------------------------------------------------------------

void WarpState::diverge() {
    if (one_clock)
        separate.fill(common);
    one_clock = false;
}

void WarpState::converge() {
    const auto first = uint32_t(std::countr_zero(population));
    for (uint32_t lane = first; lane < 32; ++lane)
        if ((population >> lane & 1) && separate[lane] != separate[first])
            return;
    common = separate[first];
    separate.fill(nullptr);
    one_clock = true;
}

void Detector::join_into(ClockBuilder& builder, WarpState& ws, uint32_t mask) {
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        builder.join(ws.clock(uint32_t(std::countr_zero(rest))));
        if (ws.one_clock)
            break;
    }
    Chunk& chunk = builder.own(ws.block, uint32_t(blocks_.at(ws.block)->warps.size()));
    chunk.raise(Plane::generic, ws.warp, mask, ws.population, ws.tick);
    if (ws.copies_used) {
        chunk.raise(Plane::copies, ws.warp, mask, ws.population, ws.copies_done);
        chunk.raise(Plane::copies_fenced, ws.warp, mask, ws.population, ws.copies_fenced);
    }
    if (ws.fences_used) {
        chunk.raise(Plane::fenced_shared, ws.warp, mask, ws.population, ws.fenced_shared);
        chunk.raise(Plane::fenced_global, ws.warp, mask, ws.population, ws.fenced_global);
    }
    if (ws.membar_used)
        chunk.raise(Plane::fenced_device, ws.warp, mask, ws.population, ws.membar);
    if (ws.bulk_used) {
        chunk.raise(Plane::bulk_read, ws.warp, mask, ws.population, ws.bulk_read);
        chunk.raise(Plane::bulk_done, ws.warp, mask, ws.population, ws.bulk_done);
    }
    ++ws.tick; // what follows is not covered by this release
}

ClockRef Detector::released(WarpState& ws, uint32_t mask) {
    ClockBuilder builder;
    join_into(builder, ws, mask);
    return builder.take();
}

void Detector::acquire(WarpState& ws, uint32_t mask, const ClockRef& clock, bool replaces) {
    if (!clock)
        return;
    mask &= ws.population;
    auto joined = [&](const ClockRef& mine) {
        if (replaces || mine == clock)
            return clock;
        ClockBuilder builder;
        builder.join(mine);
        builder.join(clock);
        return builder.take();
    };
    if (ws.one_clock && mask == ws.population) {
        ws.common = joined(ws.common);
        return;
    }
    ws.diverge();
    ClockRef last_in, last_out;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        ClockRef& mine = ws.separate[size_t(std::countr_zero(rest))];
        if (!last_out || mine != last_in) {
            last_in = mine;
            last_out = joined(mine);
        }
        mine = last_out;
    }
    ws.converge();
}

void Detector::warp_sync(Warp& warp, uint32_t mask) {
    WarpState& ws = state(warp);
    mask &= ws.population;
    acquire(ws, mask, released(ws, mask), true);
}

void Detector::warp_rendezvous(Warp& warp, uint32_t mask) {
    WarpState& ws = state(warp);
    const uint32_t tick = ws.tick++;
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1) {
            ws.rendezvous_tick[lane] = tick;
            ws.rendezvous_mask[lane] = mask;
        }
}

void Detector::barrier_arrive(Warp& warp, uint32_t mask, uint32_t id) {
    state(warp).arrived[id] |= mask;
    join_into(state(warp.block).arriving[id], state(warp), mask);
}

void Detector::barrier_complete(Block& block, uint32_t id) {
    BlockState& bs = state(block);
    const bool whole_block = block.barriers[id].expected >= block.threads;
    for (auto& warp : block.warps) {
        WarpState& ws = state(*warp);
        // Threads that have ended count as arrived.
        if (const uint32_t gone = warp->exited & warp->population & ~ws.arrived[id]; gone && whole_block)
            join_into(bs.arriving[id], ws, gone);
        ws.arrived[id] = 0;
    }
    bs.completed[id] = bs.arriving[id].take();
    if (whole_block) // every reader of the block is ordered before what follows
        bs.shadow.sets.retire();
    if (bs.shadow.sets.is_full())
        collect_read_sets(bs.shadow);
}

void Detector::barrier_release(Warp& warp, uint32_t mask, uint32_t id) {
    WarpState& ws = state(warp);
    acquire(ws, mask, state(warp.block).completed[id], true); // it holds what each arrival knew
    ++ws.synchronisations;
    ws.copies_at_barrier = ws.copies_issued;
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        ws.waited[size_t(std::countr_zero(rest))].barrier = 0;
}

void Detector::cluster_arrive(Warp& warp, uint32_t mask, bool release) {
    auto& arriving = clusters_[warp.block.cluster].arriving;
    WarpState& ws = state(warp);
    if (release)
        join_into(arriving, ws, mask);
    else if (ws.fenced) // a relaxed arrival publishes what a fence before it covers
        for (uint32_t rest = mask; rest; rest &= rest - 1)
            if (const ClockRef& fenced = ws.fence_clock[size_t(std::countr_zero(rest))])
                arriving.join(fenced);
}

void Detector::cluster_complete(Block& any) {
    auto& cluster = clusters_[any.cluster];
    cluster.completed = cluster.arriving.take();
}

void Detector::cluster_release(Warp& warp, uint32_t mask, bool acquires) {
    if (acquires)
        acquire(state(warp), mask, clusters_[warp.block.cluster].completed);
}

} // namespace sim::hazards
