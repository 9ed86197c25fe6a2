// expect: deadlock
// Drill 08.5: let the copies arrive
// The lanes of warp 0 copy a tile asynchronously, and warp 1 reads it. An ordinary arrival says that the thread has
// come so far; its copies may still be in flight. Make the barrier track the copies. Three calls are given; `full`
// expects 32 arrivals in each phase.
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

// Arrives for this thread when all its copies so far are complete. The arrival is one of those that init expects.
__device__ void arrive_when_copied(uint64_t* barrier) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}

// The same, but it first raises the pending count by one, so init must not count this arrival.
__device__ void arrive_when_copied_uncounted(uint64_t* barrier) {
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
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

__device__ void copy_4(void* shared, const void* global) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(shared)), "l"(global) : "memory");
}

__global__ void rotate(const int* in, int* out) {
    __shared__ int tile[128];
    __shared__ uint64_t full;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        init(&full, 32);
    __syncthreads();
    if (warp == 0) {
        for (int i = lane; i < 128; i += 32)
            copy_4(&tile[i], &in[i]);
        // TODO(1): the phase must not complete before the copies have.
        arrive_when_copied_uncounted(&full);
        // END TODO(1)
    } else {
        wait(&full, 0);
        for (int i = lane; i < 128; i += 32)
            out[i] = tile[(i + 1) % 128];
    }
}

/// `in` and `out` are arrays of 128 integers.
void launch(const int* in, int* out, cudaStream_t stream) {
    rotate<<<1, 64, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
