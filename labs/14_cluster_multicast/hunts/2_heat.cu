// Hunt 14.h2: heat
// Heat in a rod of 256 cells, many steps in one launch. Each block of the cluster holds 64 cells in shared memory and
// stores its outer cells into its neighbours' halos before each step. The rod is right in most runs. Sometimes cells
// beside the border of two blocks are slightly off, more often when other kernels run at the same time.
#include "lab.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int CLUSTER = 4, CELLS = 64; // of a block

struct Shared {
    float row[CELLS + 2]; // the first and the last cell are the halo: the neighbours' outer cells
};

// The parts of the rod beside this block's.
struct Neighbours {
    Shared *left, *right; // nullptr at the ends of the rod
};

__device__ Neighbours neighbours_of(Shared& shared, const cg::cluster_group& cluster) {
    const int rank = cluster.block_rank();
    return {rank > 0 ? cluster.map_shared_rank(&shared, rank - 1) : nullptr,
            rank + 1 < CLUSTER ? cluster.map_shared_rank(&shared, rank + 1) : nullptr};
}

__device__ float next_value(const float* cell) {
    return 0.25f * cell[-1] + 0.5f * cell[0] + 0.25f * cell[1];
}

__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(CELLS) heat(float* rod, int steps) {
    __shared__ Shared shared;
    const auto cluster = cg::this_cluster();
    const int t = threadIdx.x;
    const Neighbours neighbours = neighbours_of(shared, cluster);

    if (t == 0)
        shared.row[0] = shared.row[CELLS + 1] = 0; // outside the rod it is always 0 degrees
    cluster.sync();                                // all blocks run and have cleared their halos

    float value = rod[blockIdx.x * CELLS + t];
    for (int step = 0; step < steps; ++step) {
        shared.row[t + 1] = value;
        if (t == 0 && neighbours.left)
            neighbours.left->row[CELLS + 1] = value;
        if (t == CELLS - 1 && neighbours.right)
            neighbours.right->row[0] = value;
        cluster.sync(); // the halos have arrived

        value = next_value(&shared.row[t + 1]);
        __syncthreads(); // all threads have read
    }
    rod[blockIdx.x * CELLS + t] = value;
}

/// `rod`: `rods` times 256 temperatures, replaced by those after `steps` steps.
cudaError_t launch(float* rod, int rods, int steps, cudaStream_t stream) {
    heat<<<rods * CLUSTER, CELLS, 0, stream>>>(rod, steps);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
