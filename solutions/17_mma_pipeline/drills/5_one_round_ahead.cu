// Drill 17.5: one round ahead.
// In each round, a thread loads its value of the *next* tile, which another thread has copied, and stores that of this
// one, which it loaded in the round before. There are three stages, and three tiles are issued before the loop. Write
// the lines that come before the load: which tile must be complete, and which stage is free?
#include "lab.h"

constexpr int THREADS = 128, STAGES = 3;

__device__ void commit_group() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Returns when at most the N youngest groups of this thread are incomplete.
template <int N>
__device__ void wait_group() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

__global__ void __launch_bounds__(THREADS) reversed(const int* in, int* out, int tiles) {
    __shared__ int ring[STAGES][THREADS];
    const int t = threadIdx.x;
    auto issue = [&](int tile) { // nothing after the last tile
        const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&ring[tile % STAGES][t]));
        if (tile < tiles)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + tile * THREADS + t) : "memory");
    };
    for (int tile = 0; tile < STAGES; ++tile) {
        issue(tile);
        commit_group();
    }
    wait_group<STAGES - 1>();
    __syncthreads();
    int value = ring[0][THREADS - 1 - t];

    for (int tile = 0; tile < tiles; ++tile) {
        // TODO(1): wait for tile + 1 and no other, meet, and issue the tile that can go into a free stage.
        wait_group<STAGES - 2>();
        __syncthreads();
        issue(tile + STAGES);
        commit_group();
        // END TODO(1)
        const int next = tile + 1 < tiles ? ring[(tile + 1) % STAGES][THREADS - 1 - t] : 0;
        out[tile * THREADS + t] = value;
        value = next;
    }
}

/// `in` and `out`: `tiles` times 128 numbers. Each tile is reversed.
void launch(const int* in, int* out, int tiles, cudaStream_t stream) {
    reversed<<<1, THREADS, 0, stream>>>(in, out, tiles);
}

LAB_ENTRY(launch)
