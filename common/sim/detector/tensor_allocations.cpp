// Allocations of Tensor Memory: which warp makes and frees them, and whether both blocks of a pair take part.
#include "sim/detector/trackers.h"

namespace sim::hazards {

/// The other block of the pair; nullptr: the instruction is for one block, or the other one is not resident.
static Block* peer_of(const Core& core, Exec& x) {
    const auto* function = core.places.function_at(x.pc());
    if (!function || function->ops[x.pc() - function->first_pc].small != 2)
        return nullptr;
    for (const auto& block : x.grid.resident)
        if (block->cluster == x.block.cluster && block->cluster_rank == (x.block.cluster_rank ^ 1))
            return block.get();
    return nullptr;
}

/// tcgen05.alloc.cta_group::2: "the issuing warp must make sure that peer CTA is launched". A barrier of the cluster
/// shows that, even one with relaxed arrivals, and so does whatever orders the warp after something that the peer did.
static void check_pair(Core& core, Exec& x) {
    Block* const peer = peer_of(core, x);
    if (!peer || x.grid.cluster_barrier(x.block.cluster).completions)
        return;
    const ClockRef& known = WarpState::of(x.warp).clock.clock(0);
    if (known && known->chunk(BlockState::of(*peer).id))
        return;
    Place place = core.places.at(x.pc(), {});
    place.threads.add(x.block.linear, x.warp.id * 32, x.mask);
    core.findings.report(TensorPairUnseen{peer->linear}, std::move(place));
}

/// A pair frees together: is the other block's allocation over?
void TensorTracker::check_peer_allocated(Exec& x, Block& peer, uint32_t column) {
    const WarpClock& clock = WarpState::of(x.warp).clock;
    const uint64_t meetings = x.grid.cluster_barrier(x.block.cluster).completions;
    for (const auto& one : shadow_of(peer).of_pair)
        if (one.column == column &&
            (one.meetings < meetings || knows(clock, clock.block - x.block.linear + peer.linear, one.warp, one.tick)))
            return;
    report(x, events::TensorAllocationWrong::What::peer_unready,
           "Nothing orders the other block's tcgen05.alloc before this tcgen05.dealloc, so that block may still be "
           "allocating the columns.");
}

void TensorTracker::report(Exec& x, events::TensorAllocationWrong::What what, const char* text) {
    if (core_.first_time(x.pc(), ~0u))
        core_.findings.report(events::TensorAllocationWrong{what, text}, core_.here(x, x.mask));
}

void TensorTracker::allocated(Exec& x, const events::TensorCells& cells) {
    check_pair(core_, x);
    TensorShadow& shadow = shadow_of(x.block);
    shadow.for_cells(cells, [](TensorCell& cell, uint16_t, uint32_t, uint32_t) { cell = {}; });
    shadow.allocations.push_back({cells.column, cells.columns, x.pc(), x.warp.id, WarpState::of(x.warp).clock.tick,
                                  x.grid.cluster_barrier(x.block.cluster).completions});
    if (peer_of(core_, x))
        shadow.of_pair.push_back(shadow.allocations.back());
}

void TensorTracker::freed(Exec& x, const events::TensorCells& cells) {
    if (Block* peer = peer_of(core_, x))
        check_peer_allocated(x, *peer, cells.column);
    free(x, cells);
    TensorShadow& shadow = shadow_of(x.block);
    std::erase_if(shadow.allocations, [&](const auto& one) { return one.column == cells.column; });
    shadow.freed.push_back({cells.column, cells.columns, x.pc(), x.warp.id});
}

std::optional<Place> TensorTracker::freed_before(Block& block, const events::Misuse& misuse) const {
    const auto* cells = std::get_if<events::TensorCellsWrong>(&misuse);
    const auto* allocation = std::get_if<events::TensorAllocationWrong>(&misuse);
    if (!(cells && cells->what == events::TensorCellsWrong::What::freed) &&
        !(allocation && allocation->what == events::TensorAllocationWrong::What::unknown))
        return std::nullopt;
    const auto& freed = shadow_of(block).freed;
    if (freed.empty())
        return std::nullopt;
    Place place = core_.places.at(freed.back().pc, {});
    place.threads.add(block.linear, freed.back().warp * 32, ~0u);
    return place;
}

void TensorTracker::leaked(Block& block, uint32_t column, uint32_t columns) {
    for (const auto& one : shadow_of(block).allocations) {
        if (one.column != column)
            continue;
        Place place = core_.places.at(one.pc, {});
        place.threads.add(block.linear, one.warp * 32, ~0u);
        core_.findings.report(TensorLeaked{column, columns}, std::move(place));
    }
}

} // namespace sim::hazards
