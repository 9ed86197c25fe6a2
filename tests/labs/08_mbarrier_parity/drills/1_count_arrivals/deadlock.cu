// expect: deadlock
// Drill 08.1: how many arrivals?
// Four warps write a tile, read it reversed, and write it again. Two mbarriers keep the steps apart. At `written` every
// thread arrives; at `read` one lane arrives for its whole warp. Give each barrier its count.
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

constexpr int THREADS = 128;

__global__ void __launch_bounds__(THREADS) reverse_and_add(const int* in, int* out) {
    __shared__ int tile[THREADS];
    __shared__ uint64_t written, read;
    const int t = threadIdx.x;
    if (t == 0) {
        // TODO(1): how many arrivals complete a phase of each barrier?
        init(&written, THREADS);
        init(&read, THREADS); // one lane arrives for its warp
        // END TODO(1)
    }
    __syncthreads();

    tile[t] = in[t];
    arrive(&written); // phase 0
    wait(&written, 0);
    const int x = tile[THREADS - 1 - t];

    __syncwarp();
    if (t % 32 == 0)
        arrive(&read);
    wait(&read, 0);
    tile[t] = x + in[t];
    arrive(&written); // phase 1
    wait(&written, 1);
    out[t] = tile[t ^ 64];
}

/// `in` and `out` are arrays of 128 integers.
void launch(const int* in, int* out, cudaStream_t stream) {
    reverse_and_add<<<1, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
