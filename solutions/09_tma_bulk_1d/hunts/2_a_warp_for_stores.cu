// Hunt 09.h2: a warp for the stores
// Fades a signal: each block loads a tile, scales it, and stores it, again and again through the same buffer. Thread 0
// used to issue all copies. Now a thread of warp 1 issues the stores, to take work off warp 0. Since then, single tiles
// have the samples of a later tile. The code uses the older names of libcu++, cuda::device::experimental.
#include "lab.h"

#include <cuda/barrier>

namespace cde = cuda::device::experimental;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int TILE = 256; // samples
constexpr unsigned LOADER = 0, STORER = 32;

// The factor of a sample: from 1 at the beginning of the signal to 0 at its end.
__device__ float fade(int i, int n) {
    return static_cast<float>(n - i) / static_cast<float>(n);
}

__global__ void __launch_bounds__(TILE) fade_out(float* signal, int n) {
    __shared__ alignas(16) float tile[TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier full;
    if (threadIdx.x == 0) {
        init(&full, TILE);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();

    for (int first = blockIdx.x * TILE; first < n; first += gridDim.x * TILE) {
        Barrier::arrival_token token;
        if (threadIdx.x == LOADER) {
            cde::cp_async_bulk_global_to_shared(tile, signal + first, sizeof tile, full);
            token = cuda::device::barrier_arrive_tx(full, 1, sizeof tile);
        } else {
            token = full.arrive();
        }
        full.wait(std::move(token));

        const int i = first + threadIdx.x;
        tile[threadIdx.x] *= fade(i, n);

        cde::fence_proxy_async_shared_cta(); // the store reads the tile through the async proxy
        __syncthreads();
        if (threadIdx.x == STORER) {
            cde::cp_async_bulk_shared_to_global(signal + first, tile, sizeof tile);
            cde::cp_async_bulk_commit_group();
            cde::cp_async_bulk_wait_group_read<0>(); // the store has read the tile
        }
        __syncthreads(); // the tile may be filled again
    }
}

/// `signal` is a 16-byte aligned array of n samples, n a multiple of 256.
void launch(float* signal, int n, cudaStream_t stream) {
    fade_out<<<2, TILE, 0, stream>>>(signal, n);
}

LAB_ENTRY(launch)
