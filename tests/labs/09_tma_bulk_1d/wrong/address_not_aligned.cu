// expect: misaligned-copy
// The first sample is treated apart, so that every tile begins one sample behind a 16-byte boundary.
// Lab 09: an amplifier that works in place: bulk copies bring a tile to shared memory and take it back.
// samples[i] becomes gain * samples[i], but not more than 1 and not less than -1.
#include "lab.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TILE = 2048; // samples: 8 KiB
constexpr int THREADS = 256;

// True in one lane of a converged warp, always in the same one. Unlike `threadIdx.x == 0`, it tells the compiler that
// only one lane goes on.
__device__ bool elected() {
    unsigned one;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(one));
    return one;
}

// Returns when the phase of that parity is complete: 0 for a barrier's first phase, 1 for the second, 0 again …
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
    const int whole = (n - 1) / 4 * 4 + 1;

    // TODO(1): one thread initialises `full`. How many arrive there for each tile?
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&full, 1); // the issuer, when it says how many bytes will come
    __syncthreads();
    // END TODO(1)

    unsigned parity = 0;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        samples[0] = amplified(samples[0], gain);
    for (int first = 1 + blockIdx.x * TILE; first < whole; first += gridDim.x * TILE) {
        const int count = min(whole - first, TILE);
        const unsigned bytes = count * sizeof(float);
        // TODO(2): one thread announces the bytes, and loads them
        if (issuer) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, bytes);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, samples + first, bytes, &full);
        }
        // END TODO(2)

        // TODO(3): wait until they are there
        wait(&full, parity);
        parity ^= 1;
        // END TODO(3)

        // (4) every thread changes its samples
        for (int i = threadIdx.x; i < count; i += THREADS)
            tile[i] = amplified(tile[i], gain);

        // TODO(5): the issuer's copy must come after what everybody wrote; and it takes another path to memory
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        // END TODO(5)

        // TODO(6): one thread stores the tile and commits  (7) and waits until the copy has read it
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

/// `samples` is an array of n samples in device memory, on a 16-byte boundary.
cudaError_t launch(float* samples, int n, float gain, cudaStream_t stream) {
    const int tiles = (n + TILE - 1) / TILE;
    const int grid = (tiles + 3) / 4; // a block has four tiles: when it ends, the SM gets the next block
    if (grid > 0)
        amplify<<<grid, THREADS, 0, stream>>>(samples, n, gain);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
