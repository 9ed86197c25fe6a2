// Hunt 14.h2: heat
// Heat in a rod of 256 cells, many steps in one launch. Each block of the cluster holds 64 cells in shared memory and
// stores its outer cells into its neighbours' halos before each step. The rod is right in most runs. Sometimes cells
// beside the border of two blocks are slightly off, more often when other kernels run at the same time.
#include "lab.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int CLUSTER = 4, CELLS = 64; // of a block

struct Shared {
    float cells[2][CELLS]; // of this step and of the next one
    float left, right;     // the halo: the neighbours' outer cells
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

__device__ float next_value(float left, float cell, float right) {
    return 0.25f * left + 0.5f * cell + 0.25f * right;
}

__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(CELLS) heat(float* rod, int steps) {
    __shared__ Shared shared;
    const auto cluster = cg::this_cluster();
    const int t = threadIdx.x;
    const Neighbours neighbours = neighbours_of(shared, cluster);

    if (t == 0)
        shared.left = shared.right = 0; // outside the rod it is always 0 degrees
    shared.cells[0][t] = rod[blockIdx.x * CELLS + t];
    cluster.sync(); // all blocks run and have cleared their halos

    for (int step = 0; step < steps; ++step) {
        const float* cells = shared.cells[step % 2];
        if (t == 0 && neighbours.left)
            neighbours.left->right = cells[0];
        if (t == CELLS - 1 && neighbours.right)
            neighbours.right->left = cells[CELLS - 1];
        cluster.sync(); // the halos have arrived

        float left = cells[max(t - 1, 0)], right = cells[min(t + 1, CELLS - 1)];
        if (t == 0)
            left = shared.left;
        if (t == CELLS - 1)
            right = shared.right;
        shared.cells[(step + 1) % 2][t] = next_value(left, cells[t], right);
        __syncthreads(); // the next step reads what the other threads have written
    }
    rod[blockIdx.x * CELLS + t] = shared.cells[steps % 2][t];
}

/// `rod`: `rods` times 256 temperatures, replaced by those after `steps` steps.
cudaError_t launch(float* rod, int rods, int steps, cudaStream_t stream) {
    heat<<<rods * CLUSTER, CELLS, 0, stream>>>(rod, steps);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
