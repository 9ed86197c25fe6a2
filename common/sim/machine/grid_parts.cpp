// A grid of which other processes run parts.
#include <algorithm>

#include "sim/machine/grid.h"

namespace sim::machine {

bool Grid::divisible() const {
    return listener && !conductor && !depends_on_turns && !config.cooperative && next.sms.empty() &&
           options.schedule.completion != Schedule::Completion::random &&
           options.schedule.warps != Schedule::Warps::random && !kernel.module->cancels_clusters();
}

Grid::Clusters Grid::clusters() const {
    return {resident.size() / blocks_per_cluster, not_started() / blocks_per_cluster, next_block_ / blocks_per_cluster};
}

std::vector<bool> Grid::keep_clusters(uint64_t first, uint64_t end) {
    const uint64_t here = clusters().resident;
    const auto start_of = [&](uint64_t cluster) { return cluster > here ? (cluster - here) * blocks_per_cluster : 0; };
    const uint64_t next = next_block_;
    next_block_ = next + start_of(first);
    block_count_ = next + start_of(end);
    std::vector<uint64_t> order; // of the clusters that are resident
    std::vector<std::unique_ptr<Block>> kept;
    for (auto& block : resident) {
        const auto known = std::ranges::find(order, block->cluster);
        const auto number = uint64_t(known - order.begin());
        if (known == order.end())
            order.push_back(block->cluster);
        if (number >= first && number < end)
            kept.push_back(std::move(block));
    }
    resident = std::move(kept);
    is_part_ = true;
    for (auto& block : resident)
        block->first_turn = turns;
    std::vector<bool> blocks(config.grid.count());
    for (const auto& block : resident)
        blocks[block->linear] = true;
    for (uint64_t at = next_block_; at < block_count_; ++at)
        blocks[number_of(index_of(at))] = true;
    return blocks;
}

void Grid::end_elsewhere() {
    resident.clear();
    next_block_ = block_count_;
    ++activity;
}

} // namespace sim::machine
