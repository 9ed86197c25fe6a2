// Drill 20.5: split along k
// A product with a long k and a small result keeps few blocks busy. So several blocks share a tile of the result: each
// multiplies one part of k and adds its partial sums to the tile in global memory. The program does that with 256
// atomic additions, one for each thread. Let the copy unit add the whole tile: thread 0 issues one bulk reduction.
//     ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, to, from, bytes)
// It belongs to a bulk group, as a bulk store does. The order of the additions is open, so sums of floating-point
// numbers may be rounded differently from run to run.
#include "lab.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TILE = 16, THREADS = TILE * TILE;

// d (TILE x n) += a (TILE x k) times b (k x n), for one tile of d and one part of k.
__global__ void __launch_bounds__(THREADS)
    multiply_part(const float* a, const float* b, float* d, int n, int k, int part) {
    __shared__ alignas(128) float partial[TILE][TILE];
    const int t = threadIdx.x, row = t / TILE, column = t % TILE, tile = blockIdx.x;
    float sum = 0;
    for (int i = blockIdx.y * part; i < min(k, int(blockIdx.y + 1) * part); ++i)
        sum += a[row * k + i] * b[i * n + tile * TILE + column];
    partial[row][column] = sum;
    float* const to = d + tile * THREADS; // the tiles of d follow one another

    // TODO(1): add `partial` to the tile.
    atomicAdd(&to[t], partial[row][column]); // placeholder: each thread adds one number
    // END TODO(1)
    // TODO(2): the block must not exit before its partial sums have been read.
    // END TODO(2)
}

/// In device memory: `a`, 16 x k numbers; `b`, k x n; `d`, n / 16 tiles of 16 x 16. `parts` blocks share each tile.
cudaError_t launch(const float* a, const float* b, float* d, int n, int k, int parts, cudaStream_t stream) {
    cudaMemsetAsync(d, 0, TILE * n * sizeof(float), stream); // the blocks only add
    multiply_part<<<dim3(n / TILE, parts), THREADS, 0, stream>>>(a, b, d, n, k, (k + parts - 1) / parts);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
