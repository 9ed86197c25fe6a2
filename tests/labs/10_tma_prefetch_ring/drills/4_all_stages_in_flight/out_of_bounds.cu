// expect: out-of-bounds
// Drill 10.4: all stages in flight
// A block multiplies tiles through a ring without `empty` barriers: `__syncthreads()` tells thread 0 that a tile has
// been read. The program is right but loads one tile at a time. Keep a load in flight in every stage: fill the ring
// before the loop, and when tile k has been read, load the tile that takes its place. `load_tile(k)` announces and
// loads tile k.
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

constexpr int TILE = 128, STAGES = 4;

__global__ void __launch_bounds__(TILE) scale(const int* in, int* out, int tiles, int factor) {
    __shared__ alignas(16) int ring[STAGES][TILE];
    __shared__ uint64_t full[STAGES];
    const int t = threadIdx.x;
    if (t < STAGES)
        ptx::mbarrier_init(&full[t], 1);
    __syncthreads();
    auto load_tile = [&](int k) {
        arrive_and_announce(&full[k % STAGES], sizeof ring[0]);
        load(ring[k % STAGES], in + k * TILE, sizeof ring[0], &full[k % STAGES]);
    };

    if (t == 0) {
        // TODO(1): fill the ring; there may be fewer tiles than stages.
        for (int k = 0; k < STAGES; ++k) // even if there are fewer tiles
            load_tile(k);
        // END TODO(1)
    }
    for (int k = 0; k < tiles; ++k) {
        wait(&full[k % STAGES], k / STAGES % 2);
        out[k * TILE + t] = factor * ring[k % STAGES][t];
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads(); // tile k has been read
        if (t == 0) {
            // TODO(2): refill the stage that tile k has left, if a tile remains.
            if (k + STAGES < tiles)
                load_tile(k + STAGES);
            // END TODO(2)
        }
    }
}

/// `in` and `out` are 16-byte aligned arrays of 128 * tiles integers; there is at least one tile.
void launch(const int* in, int* out, int tiles, int factor, cudaStream_t stream) {
    scale<<<1, TILE, 0, stream>>>(in, out, tiles, factor);
}

LAB_ENTRY(launch)
