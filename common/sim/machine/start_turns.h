// Grid::start_turns, for the detector, which does not need the machine otherwise.
#pragma once

#include <functional>
#include <queue>

#include "sim/machine/grid.h"

namespace sim::machine {

inline std::vector<uint64_t> Grid::start_turns(std::span<const Stay> stays) const {
    std::vector<uint64_t> of(block_count_ / blocks_per_cluster), starts(of.size());
    for (const Stay& stay : stays)
        of[stay.cluster] = stay.turns;
    std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<>> free; // turns in which a place is
    for (const auto& block : resident)
        if (!block->cluster_rank)
            free.push(of[block->started_as / blocks_per_cluster]);
    for (const uint64_t places = limit_ / blocks_per_cluster; free.size() < places;)
        free.push(resident.empty() ? 0 : 1); // admit() comes after a turn
    for (uint64_t cluster = next_block_ / blocks_per_cluster; cluster < starts.size(); ++cluster) {
        starts[cluster] = free.top();
        free.pop();
        free.push(starts[cluster] + of[cluster]);
    }
    return starts;
}

} // namespace sim::machine
