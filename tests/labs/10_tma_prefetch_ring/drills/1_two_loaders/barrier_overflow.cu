// expect: barrier-overflow
// Drill 10.1: a count for each role
// A ring adds pairs of tiles. Warp 0 loads the left tile of each pair and warp 1 the right one: lane 0 of each
// announces its own bytes. Warps 2 to 4 read both, and one lane of each releases the stage. How many arrivals does each
// barrier expect?
#include "lab.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

// Returns when the phase of that parity is complete. On a fresh barrier, parity 1 counts as complete.
__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Makes one arrival, and announces bytes.
__device__ void arrive_and_announce(uint64_t* barrier, unsigned bytes) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, bytes);
}

__device__ void load(void* to, const void* from, unsigned bytes, uint64_t* barrier) {
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, bytes, barrier);
}

constexpr int TILE = 96, STAGES = 2, LOADERS = 2, READERS = 3; // numbers, stages, warps, warps

__global__ void __launch_bounds__(32 * (LOADERS + READERS))
    add(const int* left, const int* right, int* out, int tiles) {
    __shared__ alignas(16) int ring[STAGES][LOADERS][TILE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x < STAGES) {
        // TODO(1): the arrivals of one phase.
        ptx::mbarrier_init(&full[threadIdx.x], 1); // "the producer arrives"
        ptx::mbarrier_init(&empty[threadIdx.x], READERS);
        // END TODO(1)
    }
    __syncthreads();

    for (int k = 0; k < tiles; ++k) {
        const int s = k % STAGES;
        const unsigned lap = k / STAGES;
        if (warp < LOADERS && lane == 0) {
            wait(&empty[s], (lap + 1) % 2);
            arrive_and_announce(&full[s], sizeof ring[s][warp]);
            load(ring[s][warp], (warp == 0 ? left : right) + k * TILE, sizeof ring[s][warp], &full[s]);
        } else if (warp >= LOADERS) {
            const int i = threadIdx.x - 32 * LOADERS;
            wait(&full[s], lap % 2);
            out[k * TILE + i] = ring[s][0][i] + ring[s][1][i];
            ptx::fence_proxy_async(ptx::space_shared);
            __syncwarp();
            if (lane == 0)
                ptx::mbarrier_arrive(&empty[s]);
        }
    }
}

/// `left`, `right` and `out` are 16-byte aligned arrays of 96 * tiles integers.
void launch(const int* left, const int* right, int* out, int tiles, cudaStream_t stream) {
    add<<<1, 32 * (LOADERS + READERS), 0, stream>>>(left, right, out, tiles);
}

LAB_ENTRY(launch)
