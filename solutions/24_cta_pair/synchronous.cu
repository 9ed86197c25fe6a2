// Lab 24 without Tensor Memory and without asynchronous copies, for comparison: the threads load the operands into
// shared memory, and keep the sums in registers. The tiles are those of the lab.
#include "lab.h"

#include <cuda_bf16.h>

using bf16 = __nv_bfloat16;

constexpr int TILE_M = 128, TILE_N = 128, TILE_K = 64;
constexpr int THREADS = 256, SIDE = 16; // a thread has the elements of every SIDE-th row and column
constexpr int EACH = TILE_M / SIDE;

struct Shared {
    bf16 a[TILE_K][TILE_M], b[TILE_K][TILE_N];
};

// Loads a tile that begins at row `row`, column `column` of a matrix; zeros beyond its edges.
__device__ void load(bf16 (&to)[TILE_K][TILE_M], const bf16* matrix, int row, int column, int rows, int columns) {
    for (int i = threadIdx.x; i < TILE_M * TILE_K; i += THREADS) {
        const int r = i / TILE_K, c = i % TILE_K;
        const bool inside = row + r < rows && column + c < columns;
        to[c][r] = inside ? matrix[size_t(row + r) * columns + column + c] : __float2bfloat16_rn(0);
    }
}

__global__ void __launch_bounds__(THREADS) gemm(const bf16* a, const bf16* b, bf16* d, int m, int n, int k) {
    __shared__ Shared s;
    const int across = (n + TILE_N - 1) / TILE_N;
    const int y = blockIdx.x / across * TILE_M, x = blockIdx.x % across * TILE_N;
    const int row = threadIdx.x / SIDE, column = threadIdx.x % SIDE;
    float sums[EACH][EACH] = {};
    for (int step = 0; step < k; step += TILE_K) {
        load(s.a, a, y, step, m, k);
        load(s.b, b, x, step, n, k);
        __syncthreads();
        for (int i = 0; i < TILE_K; ++i) {
            float left[EACH], right[EACH];
            for (int e = 0; e < EACH; ++e) {
                left[e] = __bfloat162float(s.a[i][row + e * SIDE]);
                right[e] = __bfloat162float(s.b[i][column + e * SIDE]);
            }
            for (int r = 0; r < EACH; ++r)
                for (int c = 0; c < EACH; ++c)
                    sums[r][c] += left[r] * right[c];
        }
        __syncthreads();
    }
    for (int r = 0; r < EACH; ++r)
        for (int c = 0; c < EACH; ++c) {
            const int i = y + row + r * SIDE, j = x + column + c * SIDE;
            if (i < m && j < n)
                d[size_t(i) * n + j] = __float2bfloat16_rn(sums[r][c]);
        }
}

/// `a`: m rows of k elements. `b`: n rows of k. `d`: m rows of n. All are in device memory, 128-byte aligned, with
/// contiguous rows. n and k are multiples of 8.
cudaError_t launch(const bf16* a, const bf16* b, bf16* d, int m, int n, int k, cudaStream_t stream) {
    if (m == 0 || n == 0)
        return cudaSuccess;
    const int tiles = (m + TILE_M - 1) / TILE_M * ((n + TILE_N - 1) / TILE_N);
    gemm<<<tiles, THREADS, 0, stream>>>(a, b, d, m, n, k);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
