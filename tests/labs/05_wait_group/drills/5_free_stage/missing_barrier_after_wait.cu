// expect: missing-barrier-after-wait
// This stage holds tile k, which every thread is about to read.
#include "lab.h"

constexpr int THREADS = 64;
constexpr int STAGES = 3;

// This thread's part of a tile; none if there is no such tile. It is a group in either case.
__device__ void issue(int* stage, const int* in, int tile, int tiles) {
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&stage[threadIdx.x]));
    if (tile < tiles)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + tile * THREADS + threadIdx.x)
                     : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Returns when at most the N youngest groups of this thread are incomplete.
template <int N>
__device__ void wait_group() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

__global__ void __launch_bounds__(THREADS) mirror_tiles(const int* in, int* out, int tiles) {
    __shared__ int ring[STAGES][THREADS];
    const int t = threadIdx.x;
    for (int k = 0; k < STAGES - 1; ++k)
        issue(ring[k], in, k, tiles);
    for (int k = 0; k < tiles; ++k) {
        wait_group<STAGES - 2>(); // this thread's part of tile k
        __syncthreads();          // and everybody's

        const int next = k + STAGES - 1; // the tile to issue
        // TODO(1): the stage that no thread reads any more, and that no copy is writing.
        const int stage = k % STAGES;
        // END TODO(1)
        issue(ring[stage], in, next, tiles);

        out[k * THREADS + t] = ring[k % STAGES][THREADS - 1 - t];
    }
}

/// `in` and `out` are arrays of 64 numbers for each tile.
void launch(const int* in, int* out, int tiles, cudaStream_t stream) {
    mirror_tiles<<<1, THREADS, 0, stream>>>(in, out, tiles);
}

LAB_ENTRY(launch)
