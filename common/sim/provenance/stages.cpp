// The phases of mbarriers that track copies: when they open and close, and who waits for them.
#include <algorithm>
#include <bit>

#include "sim/machine/exec.h"
#include "sim/provenance/provenance.h"

namespace sim::provenance {

using namespace events;

uint32_t Tracker::stage(BlockFlow& block, const Mbarrier& barrier) {
    const auto count = uint32_t(block.stages.size());
    for (uint32_t i = count; i-- > 0;)
        if (const Stage& stage = block.stages[i];
            stage.open && stage.barrier == barrier.id && stage.phase == barrier.phase)
            return i;
    block.events.push_back({StageEvent::opens, count});
    block.open.push_back(count);
    ++block.changes;
    block.stages.push_back({.barrier = barrier.id, .phase = barrier.phase, .copies = {}});
    return count;
}

void Tracker::note_read(BlockFlow& block, uint32_t stage) {
    size_t& read_at = block.stages[stage].read_at;
    if (read_at == block.changes)
        return;
    read_at = block.changes;
    block.events.push_back({StageEvent::is_read, stage});
}

void Tracker::issued(BlockFlow& block, uint32_t warp, uint32_t lanes, uint32_t number) {
    WarpCopies& by = block.warps[warp];
    if (by.youngest == number) {
        by.youngest_by |= lanes;
        return;
    }
    if (by.waited_for_youngest.function && !block.own_line) {
        block.own_line = by.waited_for_youngest.line();
        block.own_warp = warp;
    }
    block.stages[number].leads &= by.waited;
    by.waited = false;
    by.youngest = number;
    by.youngest_by = lanes;
    by.waited_for_youngest = {};
}

void Tracker::mbarrier_tracks(Warp& warp, uint32_t mask, const Mbarrier& barrier, uint32_t upto) {
    BlockFlow& block = of(warp.block);
    WarpCopies& copies = block.warps[warp.id];
    upto = std::min(upto, uint32_t(copies.copies.size()));
    if (copies.tracked >= upto)
        return;
    const uint32_t number = stage(block, barrier);
    for (uint32_t i = copies.tracked; i < upto; ++i) {
        block.stages[number].copies.push_back(copies.copies[i]);
        copies_[copies.copies[i]].stage = copies.copies[i] ? number : no_stage;
    }
    copies.tracked = upto;
    copies.barriers.push_back({barrier.id, barrier.phase, upto});
    issued(block, warp.id, mask, number);
}

void Tracker::mbarrier_arrive(Warp& warp, uint32_t, Mbarrier& barrier, bool) {
    epilogues_.arrive(warp, barrier);
}

void Tracker::mbarrier_complete(Mbarrier& barrier) {
    epilogues_.complete(barrier);
    BlockFlow& block = of(*barrier.owner);
    for (const uint32_t number : block.open)
        if (block.stages[number].barrier == barrier.id && block.stages[number].phase + 1 == barrier.phase)
            block.events.push_back({StageEvent::completes, number, held(block)});
}

void Tracker::mbarrier_acquire(Warp& warp, uint32_t mask, Mbarrier& barrier, bool) {
    epilogues_.acquire(warp, barrier);
    WarpCopies& copies = of(warp.block).warps[warp.id];
    std::erase_if(copies.barriers, [&](const Tracked& one) {
        const bool ends = one.barrier == barrier.id && one.phase < barrier.phase;
        copies.complete = ends ? std::max(copies.complete, one.upto) : copies.complete;
        return ends;
    });
    copies.waited = true;
    BlockFlow& block = of(*barrier.owner);
    if (&warp.block == barrier.owner) {
        if (copies.youngest != none && (copies.youngest_by & mask) &&
            block.stages[copies.youngest].barrier == barrier.id && block.stages[copies.youngest].phase < barrier.phase)
            copies.waited_for_youngest = spot_of(warp, mask);
    }
    constexpr size_t most_open = 64; // older ones are closed
    const size_t oldest = block.stages.size() > most_open ? block.stages.size() - most_open : 0;
    for (size_t i = oldest; i < block.stages.size(); ++i) {
        Stage& stage = block.stages[i];
        if (!stage.open || stage.barrier != barrier.id || stage.phase >= barrier.phase)
            continue;
        stage.open = false;
        block.events.push_back({StageEvent::closes, uint32_t(i)});
        ++block.changes;
        std::erase(block.open, uint32_t(i));
        block.current = uint32_t(i);
    }
}

// The products read the stage that was waited for last.
void Tracker::note_products(BlockFlow& block, uint32_t warpgroup, uint64_t last) {
    if (block.current == none)
        return;
    const auto same = std::ranges::find_if(block.products, [&](const Products& some) {
        return some.warpgroup == warpgroup && some.stage == block.current;
    });
    if (same == block.products.end())
        block.products.push_back({warpgroup, last, block.current});
    else
        same->last = last;
}

// Stages that products in flight read.
uint32_t Tracker::held(const BlockFlow& block) {
    std::vector<uint32_t> stages;
    for (const Products& some : block.products)
        if (std::ranges::find(stages, some.stage) == stages.end())
            stages.push_back(some.stage);
    return uint32_t(stages.size());
}

void Tracker::matrix_wait(Exec& x, const MatrixWait& wait) {
    std::erase_if(of(x.block).products,
                  [&](const Products& some) { return some.warpgroup == wait.first_warp && some.last <= wait.done; });
}

// A warpgroup issues a product: is it another one's turn, and has it waited for that?
void Tracker::note_turn(BlockFlow& block, uint32_t first_warp) {
    const uint32_t bit = 1u << first_warp / 4;
    ++block.turns.products;
    block.turns.changes += block.multiplier != none && block.multiplier != first_warp;
    block.turns.taken += (block.waited & bit) != 0;
    block.waited &= ~bit;
    block.multiplier = first_warp;
}

// --- barriers of blocks and clusters: for the epilogues, and for turns ---------------------------------------------

void Tracker::launch_begin(Grid& grid, const Order&, OperationId) {
    epilogues_.launch_begin(grid);
}
void Tracker::barrier_arrive(Warp& warp, uint32_t, uint32_t id) {
    epilogues_.arrive(warp, &warp.block, id);
}
void Tracker::barrier_complete(Block& block, uint32_t id) {
    epilogues_.complete(block, &block, id);
    of(block).waiting[id] = 0;
}
void Tracker::barrier_release(Warp& warp, uint32_t, uint32_t id) {
    epilogues_.release(warp, &warp.block, id);
    BlockFlow& block = of(warp.block);
    const uint32_t before = block.waiting[id], now = before | 1u << warp.id / 4;
    block.turns.meetings += std::has_single_bit(before) && !std::has_single_bit(now);
    block.waiting[id] = now;
    block.waited |= now;
}
void Tracker::cluster_arrive(Warp& warp, uint32_t, bool) {
    epilogues_.arrive(warp, nullptr, 0);
}
void Tracker::cluster_complete(Block& any) {
    epilogues_.complete(any, nullptr, 0);
}
void Tracker::cluster_release(Warp& warp, uint32_t, bool) {
    epilogues_.release(warp, nullptr, 0);
}

void Tracker::note_stages(BlockFlow& block, uint32_t words) {
    if (block.current == none)
        return;
    Stage& now = block.stages[block.current];
    now.words += words;
    if (block.open.empty())
        return;
    now.words_beside += words;
    now.beside = block.open.back();
}

} // namespace sim::provenance
