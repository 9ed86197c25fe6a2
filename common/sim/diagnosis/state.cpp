#include "sim/diagnosis/state.h"

#include "sim/machine/grid.h"

namespace sim::hazards {
namespace {

/// Offsets plus this many bytes are whole rows where the arrays begin that matter most: rows are for tiles.
uint32_t bytes_before_rows(const machine::Block& block) {
    const auto& tile = block.grid.largest_shared;
    return tile.bytes > block.grid.config.dynamic_shared ? -tile.offset % row_bytes : 0;
}

} // namespace

void Blocks::begin(machine::Block& block, uint64_t number, const ClockRef& start) {
    auto state = std::make_unique<BlockState>();
    if (!spare_.empty()) {
        state->shadow = std::move(spare_.back()->shadow);
        state->warps = std::move(spare_.back()->warps);
        spare_.pop_back();
    }
    state->id = number;
    state->shadow.reset(block.shared.size(), bytes_before_rows(block), number);
    state->warps.resize(block.warps.size());
    for (auto& warp : block.warps) {
        auto& known = state->warps[warp->id];
        if (!known)
            known = std::make_unique<WarpState>();
        known->clock = WarpClock(number, warp->id, warp->population, uint32_t(block.warps.size()), start);
        known->history = {};
        known->arrived_relaxed = 0;
        known->tensor_fenced = known->tensor_seen = nullptr;
        known->tensor_moves.clear();
        warp->detector = known.get();
    }
    block.detector = state.get();
    resident_[number] = std::move(state);
}

void Blocks::end(machine::Block& block) {
    auto it = resident_.find(BlockState::of(block).id);
    spare_.push_back(std::move(it->second));
    resident_.erase(it);
}

BlockState* Blocks::find(uint64_t number) const {
    const auto it = resident_.find(number);
    return it == resident_.end() ? nullptr : it->second.get();
}

const events::Mbarrier* Blocks::mbarrier(uint32_t id) const {
    const events::Mbarrier* found = nullptr;
    any_of([&](const BlockState& block) {
        for (const auto& live : block.barrier_memory.live)
            if (live.barrier->id == id)
                found = live.barrier;
        return found != nullptr;
    });
    return found;
}

const WarpState* Blocks::warp(uint64_t block, uint32_t number) const {
    const BlockState* state = find(block);
    return state ? state->warps[number].get() : nullptr;
}

} // namespace sim::hazards
