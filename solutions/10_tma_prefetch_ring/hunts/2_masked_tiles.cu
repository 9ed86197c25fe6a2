// Hunt 10.h2: masked tiles
// Adds up the tiles of a sparse array: `active` says which tiles hold anything, and the others are skipped. The loops
// were tidied up recently, from `while` to `for`. Since then, arrays with all tiles active are right, and the others
// hang or give wrong sums.
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

constexpr int TILE = 128, STAGES = 3, CONSUMER_WARPS = 4; // numbers, stages, warps

struct Ring {
    alignas(16) unsigned tile[STAGES][TILE];
    uint64_t full[STAGES];  // one announcement
    uint64_t empty[STAGES]; // one lane of each consumer warp
};

// A role's place in the ring.
struct Cursor {
    int stage = 0;
    unsigned parity = 0;
    __device__ void next() {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

__device__ void produce(Ring& ring, const unsigned* in, const unsigned char* active, int tiles) {
    Cursor at;
    for (int k = blockIdx.x; k < tiles; k += gridDim.x) {
        if (!active[k])
            continue;
        wait(&ring.empty[at.stage], at.parity ^ 1);
        arrive_and_announce(&ring.full[at.stage], sizeof ring.tile[0]);
        load(ring.tile[at.stage], in + k * TILE, sizeof ring.tile[0], &ring.full[at.stage]);
        at.next();
    }
}

__device__ unsigned consume(Ring& ring, const unsigned char* active, int tiles) {
    unsigned sum = 0;
    Cursor at;
    for (int k = blockIdx.x; k < tiles; k += gridDim.x) {
        if (!active[k])
            continue;
        wait(&ring.full[at.stage], at.parity);
        sum += ring.tile[at.stage][threadIdx.x];
        ptx::fence_proxy_async(ptx::space_shared);
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            ptx::mbarrier_arrive(&ring.empty[at.stage]);
        at.next();
    }
    return sum;
}

__global__ void __launch_bounds__(TILE + 32)
    sum_active(const unsigned* in, const unsigned char* active, int tiles, unsigned* out) {
    __shared__ Ring ring;
    if (threadIdx.x < STAGES) {
        ptx::mbarrier_init(&ring.full[threadIdx.x], 1);
        ptx::mbarrier_init(&ring.empty[threadIdx.x], CONSUMER_WARPS);
    }
    __syncthreads();
    if (threadIdx.x == TILE)
        produce(ring, in, active, tiles);
    if (threadIdx.x >= TILE)
        return;
    unsigned sum = consume(ring, active, tiles);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(~0u, sum, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, sum);
}

/// `in` has 128 * tiles words and is 16-byte aligned; `active` has one byte for each tile; `out` is one word.
void launch(const unsigned* in, const unsigned char* active, int tiles, unsigned* out, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof(unsigned), stream);
    sum_active<<<2, TILE + 32, 0, stream>>>(in, active, tiles, out);
}

LAB_ENTRY(launch)
