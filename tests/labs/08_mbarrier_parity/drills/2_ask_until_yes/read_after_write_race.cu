// expect: read-after-write-race
// Drill 08.2: ask until the answer is yes
// Warp 0 prepares a table, and warp 1 uses it. `is_complete` asks the barrier once, and the answer may be no: a thread
// that must not continue has to ask again. Turn the question into a wait.
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
    // TODO(1): return only when the phase is complete.
    while (is_complete(barrier, parity)) // the wrong way round
        ;
    // END TODO(1)
}

__global__ void squares(const int* in, int* out) {
    __shared__ int table[32];
    __shared__ uint64_t ready;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        init(&ready, 32); // the lanes of warp 0
    __syncthreads();
    if (warp == 0) {
        table[lane] = lane * lane;
        arrive(&ready);
    } else {
        wait(&ready, 0);
        out[lane] = table[in[lane] & 31];
    }
}

/// `in` and `out` are arrays of 32 integers.
void launch(const int* in, int* out, cudaStream_t stream) {
    squares<<<1, 64, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
