// expect: exit-before-completion
// Drill 10.5: drain before you leave
// A block searches tiles for a number and stops at the first tile that has it. By then loads of later tiles are in
// flight, and they write into the block's shared memory. Before the block exits, wait for every tile that has been
// issued.
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

__global__ void __launch_bounds__(TILE) find(const int* in, int tiles, int wanted, int* found) {
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

    int issued = min(STAGES, tiles); // tiles 0 to issued - 1 have been issued
    if (t == 0)
        for (int k = 0; k < issued; ++k)
            load_tile(k);
    int k = 0;
    for (; k < tiles; ++k) {
        wait(&full[k % STAGES], k / STAGES % 2);
        const bool here = ring[k % STAGES][t] == wanted;
        ptx::fence_proxy_async(ptx::space_shared);
        if (__syncthreads_or(here))
            break;
        if (issued < tiles) {
            if (t == 0)
                load_tile(issued);
            ++issued;
        }
    }
    if (t == 0)
        *found = k < tiles ? k : -1;
    // TODO(1): wait for the tiles after k that have been issued.
    __syncthreads(); // waits for threads, not for copies
    // END TODO(1)
}

/// `in` is a 16-byte aligned array of 128 * tiles integers. `found`: the first tile that has the number, or -1.
void launch(const int* in, int tiles, int wanted, int* found, cudaStream_t stream) {
    find<<<1, TILE, 0, stream>>>(in, tiles, wanted, found);
}

LAB_ENTRY(launch)
