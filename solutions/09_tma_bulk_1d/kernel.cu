// Lab 09: an in-place amplifier. Bulk copies load a tile into shared memory and store it back.
// samples[i] becomes gain * samples[i], clamped to [-1, 1].
#include "lab.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TILE = 2048; // samples: 8 KiB
constexpr int THREADS = 256;

// True in one lane of a converged warp, always the same lane. Unlike with `threadIdx.x == 0`, the compiler knows that
// only one lane continues.
__device__ bool elected() {
    unsigned one;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(one));
    return one;
}

// Returns when the phase of that parity is complete: 0 for a barrier's first phase, 1 for the second, then 0 again …
__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

__device__ float amplified(float sample, float gain) {
    return fminf(fmaxf(gain * sample, -1.0f), 1.0f);
}

__global__ void __launch_bounds__(THREADS) amplify(float* samples, int n, float gain) {
    __shared__ alignas(16) float tile[TILE];
    __shared__ uint64_t full; // completes a phase when a tile has arrived
    const bool issuer = threadIdx.x < 32 && elected();
    const unsigned whole = n / 4 * 4; // bulk copies move multiples of 16 bytes

    // TODO(1): one thread initialises `full`. How many arrivals does it expect for each tile?
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&full, 1); // the issuer, when it announces the bytes
    __syncthreads();
    // END TODO(1)

    unsigned parity = 0;
    // Unsigned, because `first` passes 2^31 before the loop ends if n is large.
    for (unsigned first = blockIdx.x * TILE; first < whole; first += gridDim.x * TILE) {
        const int count = min(whole - first, TILE);
        const unsigned bytes = count * sizeof(float);
        // TODO(2): one thread announces the bytes and loads them.
        if (issuer) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, bytes);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, samples + first, bytes, &full);
        }
        // END TODO(2)

        // TODO(3): wait until the bytes have arrived.
        wait(&full, parity);
        parity ^= 1;
        // END TODO(3)

        // (4) Every thread changes its samples.
        for (int i = threadIdx.x; i < count; i += THREADS)
            tile[i] = amplified(tile[i], gain);

        // TODO(5): the issuer's copy must be ordered after all writes to the tile, and it uses another proxy.
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        // END TODO(5)

        // TODO(6): one thread stores the tile and commits, (7) and waits until the copy has read the tile.
        if (issuer) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, samples + first, tile, bytes);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        }
        // END TODO(6)
    }

    const int i = whole + threadIdx.x; // up to three samples are left
    if (blockIdx.x == 0 && i < n)
        samples[i] = amplified(samples[i], gain);
}

/// `samples` is a 16-byte aligned array of n samples in device memory.
cudaError_t launch(float* samples, int n, float gain, cudaStream_t stream) {
    const int tiles = (n + TILE - 1) / TILE;
    const int grid = (tiles + 3) / 4; // a block has four tiles: when it ends, the SM gets the next block
    if (grid > 0)
        amplify<<<grid, THREADS, 0, stream>>>(samples, n, gain);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
