// Hunt 07.h1: a warp for the bias.
// One warp copies the rows of a matrix and four others add a bias and apply a ReLU. The bias used to be loaded by the
// computing warps; now a warp of its own copies it. Observed: since then rows come out with the bias of other columns,
// or not at all.
#include "lab.h"

#include <algorithm>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

constexpr int WARP = 32;
constexpr int COMPUTING = 4;           // warps; then one that copies the matrix, and one that copies the bias
constexpr int TILE = COMPUTING * WARP; // columns
constexpr int STAGES = 2;
constexpr int THREADS = WARP * (COMPUTING + 2);
constexpr int ARRIVALS = THREADS; // of one phase: everybody arrives once

struct Stage {
    int x[TILE], bias[TILE];
    __mbarrier_t empty, full; // may be filled; may be read
};

__device__ void wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
    while (!__mbarrier_test_wait(barrier, token))
        ;
}

// This lane's share of a tile, and of `count` columns of it.
__device__ void copy_share(int* to, const int* from, int count) {
    for (int i = threadIdx.x % WARP; i < count; i += WARP)
        __pipeline_memcpy_async(&to[i], &from[i], sizeof(int));
}

__global__ void __launch_bounds__(THREADS) bias_relu(const int* in, const int* bias, int* out, int tiles, int columns) {
    __shared__ Stage ring[STAGES];
    const int warp = threadIdx.x / WARP;
    if (threadIdx.x < STAGES) {
        __mbarrier_init(&ring[threadIdx.x].empty, ARRIVALS);
        __mbarrier_init(&ring[threadIdx.x].full, ARRIVALS);
    }
    __syncthreads();

    if (warp < COMPUTING)
        for (Stage& stage : ring) // nothing has been filled yet
            __mbarrier_arrive(&stage.empty);
    for (int tile = blockIdx.x, k = 0; tile < tiles; tile += gridDim.x, ++k) {
        Stage& stage = ring[k % STAGES];
        const int first = tile * TILE; // number of an element: a row has a whole number of tiles
        if (warp < COMPUTING) {
            wait(&stage.full, __mbarrier_arrive(&stage.full));
            const int y = stage.x[threadIdx.x] + stage.bias[threadIdx.x];
            __mbarrier_arrive(&stage.empty);
            out[first + threadIdx.x] = max(y, 0);
        } else {
            wait(&stage.empty, __mbarrier_arrive(&stage.empty));
            if (warp == COMPUTING)
                copy_share(stage.x, in + first, TILE);
            else
                copy_share(stage.bias, bias + first % columns, TILE);
            __pipeline_arrive_on(&stage.full);
            __mbarrier_arrive(&stage.full);
        }
    }
}

/// `in` and `out` are matrices of tiles · 128 elements, with `columns` columns, a multiple of 128; so long is `bias`.
cudaError_t launch(const int* in, const int* bias, int* out, int tiles, int columns, cudaStream_t stream) {
    bias_relu<<<std::min(tiles, 2), THREADS, 0, stream>>>(in, bias, out, tiles, columns);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
