// expect: early-phase
// Drill 08.3: one bit for each round
// One barrier serves every round: round r is its phase r. A thread passes the parity of the phase that it waits for,
// and not its number. Compute the parity.
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

constexpr int THREADS = 64;

// Adds up, for each thread, what the opposite thread has in each round.
__global__ void __launch_bounds__(THREADS) exchange(const unsigned* in, unsigned* out, int rounds) {
    __shared__ unsigned box[2][THREADS]; // rounds take turns
    __shared__ uint64_t posted;
    const int t = threadIdx.x;
    if (t == 0)
        init(&posted, THREADS);
    __syncthreads();

    unsigned sum = 0;
    for (int round = 0; round < rounds; ++round) {
        box[round % 2][t] = in[round * THREADS + t];
        arrive(&posted);
        // TODO(1): the parity of the phase of this round.
        const unsigned parity = (round + 1) % 2; // of the phase before
        // END TODO(1)
        wait(&posted, parity);
        sum += box[round % 2][THREADS - 1 - t];
    }
    out[t] = sum;
}

/// `in` is an array of rounds * 64 numbers, and `out` of 64.
void launch(const unsigned* in, unsigned* out, int rounds, cudaStream_t stream) {
    exchange<<<1, THREADS, 0, stream>>>(in, out, rounds);
}

LAB_ENTRY(launch)
