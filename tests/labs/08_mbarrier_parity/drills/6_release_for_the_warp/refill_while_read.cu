// expect: refill-while-read
// Drill 08.6: one lane speaks for its warp
// Warp 1 reads each tile from a single buffer, and warp 0 refills the buffer with the next one. `empty` expects one
// arrival: lane 0 of warp 1 makes it for all 32 lanes. Make sure that all of them have read by then.
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

constexpr int TILES = 5;

__global__ void differences(const int* in, int* out) {
    __shared__ int tile[32];
    __shared__ uint64_t full, empty;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        init(&full, 32);
        init(&empty, 1);
    }
    __syncthreads();
    for (int k = 0; k < TILES; ++k) {
        if (warp == 0) {
            wait(&empty, (k + 1) % 2);
            copy_4(&tile[lane], &in[k * 32 + lane]);
            arrive_when_copied(&full);
        } else {
            wait(&full, k % 2);
            const int mine = tile[lane], next = tile[(lane + 1) % 32];
            // TODO(1): release the buffer, once for the whole warp.
            if (lane == 0)
                arrive(&empty);
            __syncwarp(); // after the release
            // END TODO(1)
            out[k * 32 + lane] = next - mine;
        }
    }
}

/// `in` and `out` are arrays of 160 integers.
void launch(const int* in, int* out, cudaStream_t stream) {
    differences<<<1, 64, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
