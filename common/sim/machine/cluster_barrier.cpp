// barrier.cluster: all threads of all blocks of a cluster. Threads that have ended count as arrived.
#include "sim/machine/grid.h"

namespace sim::machine {

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

} // namespace sim::machine
