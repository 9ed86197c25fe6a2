// expect: uninitialised-read
// Drill 10.2: the next stage
// Both sides of a ring keep a cursor: the stage, and the parity of the lap. After each tile the cursor goes on to the
// next stage. Write this step. It must work for any number of stages, and divide by nothing.
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

constexpr int TILE = 64, STAGES = 3;

struct Cursor {
    int stage = 0;
    unsigned parity = 0; // of the lap

    __device__ void next() {
        // TODO(1): go on to the next stage.
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        parity ^= 1; // with every stage
        // END TODO(1)
    }
};

__global__ void __launch_bounds__(96) triple(const int* in, int* out, int tiles) {
    __shared__ alignas(16) int ring[STAGES][TILE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x < STAGES) {
        ptx::mbarrier_init(&full[threadIdx.x], 1);
        ptx::mbarrier_init(&empty[threadIdx.x], TILE);
    }
    __syncthreads();

    Cursor at;
    if (threadIdx.x == TILE) { // the producer, in warp 2
        for (int k = 0; k < tiles; ++k, at.next()) {
            wait(&empty[at.stage], at.parity ^ 1);
            arrive_and_announce(&full[at.stage], sizeof ring[at.stage]);
            load(ring[at.stage], in + k * TILE, sizeof ring[at.stage], &full[at.stage]);
        }
    } else if (threadIdx.x < TILE) { // consumers, one number each
        for (int k = 0; k < tiles; ++k, at.next()) {
            wait(&full[at.stage], at.parity);
            out[k * TILE + threadIdx.x] = 3 * ring[at.stage][threadIdx.x];
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::mbarrier_arrive(&empty[at.stage]);
        }
    }
}

/// `in` and `out` are 16-byte aligned arrays of 64 * tiles integers.
void launch(const int* in, int* out, int tiles, cudaStream_t stream) {
    triple<<<1, 96, 0, stream>>>(in, out, tiles);
}

LAB_ENTRY(launch)
