// Drill 05.2: one group each.
// A chunk is a price and a quantity, so it takes two copies. The waits below count chunks. Issue the copies of all
// chunks and commit them so that the waits are right.
#include "lab.h"

constexpr int THREADS = 128;
constexpr int CHUNKS = 3;

__device__ void copy_4(void* shared, const void* global) {
    const unsigned destination = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(destination), "l"(global) : "memory");
}

// Closes the group of the copies that this thread has issued since its last commit.
__device__ void commit_group() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Returns when at most the N youngest groups of this thread are incomplete.
template <int N>
__device__ void wait_group() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

__global__ void __launch_bounds__(THREADS) amounts(const int* prices, const int* quantities, int* out) {
    __shared__ int price[CHUNKS][THREADS], quantity[CHUNKS][THREADS];
    const int t = threadIdx.x;

    // TODO(1): issue and commit the copies of all chunks.
    for (int c = 0; c < CHUNKS; ++c) {
        copy_4(&price[c][t], prices + c * THREADS + t);
        copy_4(&quantity[c][t], quantities + c * THREADS + t);
    }
    commit_group(); // placeholder: one group for everything
    // END TODO(1)

    wait_group<2>(); // chunk 0
    out[0 * THREADS + t] = price[0][t] * quantity[0][t];
    wait_group<1>(); // chunk 1
    out[1 * THREADS + t] = price[1][t] * quantity[1][t];
    wait_group<0>(); // chunk 2
    out[2 * THREADS + t] = price[2][t] * quantity[2][t];
}

/// All three are arrays of 384 integers.
void launch(const int* prices, const int* quantities, int* out, cudaStream_t stream) {
    amounts<<<1, THREADS, 0, stream>>>(prices, quantities, out);
}

LAB_ENTRY(launch)
