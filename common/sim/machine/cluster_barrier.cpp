// Clusters: their blocks, barrier.cluster, where threads that have ended count as arrived, and the cancellation of a
// whole cluster.
#include "sim/machine/grid.h"

namespace sim::machine {

Block* Grid::cluster_block(const Block& of, uint32_t rank) {
    for (auto& block : resident)
        if (block->cluster == of.cluster && block->cluster_rank == rank)
            return block.get();
    return nullptr;
}

void Grid::arrive_at_cluster(Warp& warp, uint32_t mask) {
    const uint64_t phase = cluster_barrier(warp.block.cluster).completions;
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1)
            warp.cluster_phase[lane] = phase;
    warp.cluster_arrived |= mask;
    ++activity;
    check_cluster_barrier(warp.block);
}

void Grid::check_cluster_barrier(Block& any) {
    bool someone = false;
    for (const auto& block : resident)
        if (block->cluster == any.cluster)
            for (const auto& warp : block->warps) {
                if (warp->alive() & ~warp->cluster_arrived)
                    return;
                someone = someone || warp->cluster_arrived;
            }
    if (!someone)
        return;
    ++cluster_barrier(any.cluster).completions;
    ++activity;
    if (listener)
        listener->cluster_complete(any);
    for (const auto& block : resident)
        if (block->cluster == any.cluster) {
            for (const auto& warp : block->warps)
                warp->cluster_arrived = 0;
            block->wake(Wait::Kind::cluster);
        }
}

std::optional<Dim3> Grid::cancel_cluster() {
    using Completion = Schedule::Completion;
    const auto& [completion, warps, seed] = options.schedule;
    const bool all_start = completion == Completion::lazy && warps == Schedule::Warps::one_ahead;
    if (next_block_ == block_count_ || all_start || (completion == Completion::random && random() % 8 == 0))
        return std::nullopt;
    const Dim3 index = index_of(next_block_);
    next_block_ += blocks_per_cluster;
    ++statistics.cancelled_clusters;
    return index;
}

} // namespace sim::machine
