// expect: deadlock
// Drill 08.4: the parity table of a ring
// A ring of two stages carries eight tiles from warp 0 to warp 1: tile k goes through stage k % 2. Fill in the two
// tables: the parity that each side passes when it waits for tile k. Before it fills a stage, the producer waits until
// that stage is empty; on a fresh barrier, the phase before the first counts as complete, and its parity is 1.
#include "lab.h"

__device__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Begins phase 0. Each phase of the barrier expects `count` arrivals.
__device__ void init(uint64_t* barrier, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}

// Makes one arrival.
__device__ void arrive(uint64_t* barrier) {
    asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.shared.b64 state, [%0];\n}" ::"r"(shared_address(barrier))
                 : "memory");
}

// Asks once: is the phase of that parity complete?
__device__ bool is_complete(uint64_t* barrier, unsigned parity) {
    unsigned yes;
    asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(yes)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
    return yes;
}

// Returns when the phase of that parity is complete.
__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!is_complete(barrier, parity))
        ;
}

constexpr int STAGES = 2, TILES = 8;

__global__ void carry(const int* in, int* out) {
    __shared__ int ring[STAGES][32];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; ++s) {
            init(&full[s], 32);
            init(&empty[s], 32);
        }
    __syncthreads();

    // TODO(1): the parities for tiles 0 to 7.
    constexpr unsigned consumer[TILES] = {0, 0, 1, 1, 0, 0, 1, 1};
    constexpr unsigned producer[TILES] = {0, 0, 1, 1, 0, 0, 1, 1}; // as the consumer
    // END TODO(1)

    for (int k = 0; k < TILES; ++k) {
        const int s = k % STAGES;
        if (warp == 0) {
            wait(&empty[s], producer[k]);
            ring[s][lane] = in[k * 32 + lane];
            arrive(&full[s]);
        } else {
            wait(&full[s], consumer[k]);
            out[k * 32 + lane] = ring[s][31 - lane];
            arrive(&empty[s]);
        }
    }
}

/// `in` and `out` are arrays of 256 integers.
void launch(const int* in, int* out, cudaStream_t stream) {
    carry<<<1, 64, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
