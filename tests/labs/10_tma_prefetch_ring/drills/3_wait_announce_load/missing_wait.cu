// expect: missing-wait
// Drill 10.3: wait, announce, load
// The producer's round has three steps: wait until the stage is empty, announce the bytes, issue the load. All three
// calls are there, but in the wrong order. An announcement counts for the phase that the barrier is in at that moment.
// Put them in order.
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

constexpr int TILE = 128, STAGES = 2;

__global__ void __launch_bounds__(160) complement(const unsigned* in, unsigned* out, int tiles) {
    __shared__ alignas(16) unsigned ring[STAGES][TILE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x < STAGES) {
        ptx::mbarrier_init(&full[threadIdx.x], 1);
        ptx::mbarrier_init(&empty[threadIdx.x], TILE);
    }
    __syncthreads();

    for (int k = 0; k < tiles; ++k) {
        const int s = k % STAGES;
        const unsigned lap = k / STAGES;
        if (threadIdx.x == TILE) { // the producer, in warp 4
            // TODO(1): put the three calls in order.
            arrive_and_announce(&full[s], sizeof ring[s]); // first announce, "to save time"
            wait(&empty[s], (lap + 1) % 2);
            load(ring[s], in + k * TILE, sizeof ring[s], &full[s]);
            // END TODO(1)
        } else if (threadIdx.x < TILE) {
            wait(&full[s], lap % 2);
            out[k * TILE + threadIdx.x] = ~ring[s][threadIdx.x];
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::mbarrier_arrive(&empty[s]);
        }
    }
}

/// `in` and `out` are 16-byte aligned arrays of 128 * tiles words.
void launch(const unsigned* in, unsigned* out, int tiles, cudaStream_t stream) {
    complement<<<1, 160, 0, stream>>>(in, out, tiles);
}

LAB_ENTRY(launch)
