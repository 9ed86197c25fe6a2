// expect: read-after-write-race
// Loads and stores alternate: a load may find what another thread has stored.
// Drill 01.3: loads first, stores afterwards
// One block reverses an array in place; each thread moves four elements. Let every thread load all of its elements into
// registers first, and let the block store them afterwards. (Staging is fast in the same order, even when it is not in
// place: four loads that are in flight together take hardly longer than one.)
#include "lab.h"

constexpr int THREADS = 128;
constexpr int ROUNDS = 4; // elements for each thread
constexpr int N = ROUNDS * THREADS;

__global__ void __launch_bounds__(THREADS) reverse(int* x) {
    const int t = threadIdx.x;
    // TODO(1): use registers: int value[ROUNDS], in loops after #pragma unroll. What has to happen between the loads
    // and the stores?
    for (int r = 0; r < ROUNDS; ++r) {
        const int value = x[r * THREADS + t];
        __syncthreads();
        x[N - 1 - (r * THREADS + t)] = value;
    }
    // END TODO(1)
}

/// `x` is an array of 512 integers in device memory.
void launch(int* x, cudaStream_t stream) {
    reverse<<<1, THREADS, 0, stream>>>(x);
}

LAB_ENTRY(launch)
