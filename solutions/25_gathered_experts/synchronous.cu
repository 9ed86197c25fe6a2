// Lab 25 without Tensor Memory and without asynchronous copies, for comparison: the threads load the rows and the
// weights into shared memory, and keep the sums in registers. The tiles are those of the lab.
#include "lab.h"

#include <cuda_bf16.h>

using bf16 = __nv_bfloat16;

constexpr int TILE_M = 128, TILE_N = 128, TILE_K = 64;
constexpr int THREADS = 256, SIDE = 16; // a thread has the elements of every SIDE-th row and column
constexpr int EACH = TILE_M / SIDE;

struct Expert {
    const bf16* weights; // n rows of k elements
    int first, rows;     // of `order`: the tokens of this expert
    int first_tile;      // index of its first tile
};

struct Layer {
    const Expert* experts;
    const int* order; // the tokens, expert by expert
    int count, tokens, n, k;
};

struct Shared {
    bf16 a[TILE_K][TILE_M], b[TILE_K][TILE_N];
    int tokens[TILE_M];
};

__device__ void load(bf16& to, const bf16* matrix, int row, int column, bool inside, int columns) {
    to = inside && column < columns ? matrix[size_t(row) * columns + column] : __float2bfloat16_rn(0);
}

__global__ void __launch_bounds__(THREADS) experts(const bf16* x, bf16* y, const Layer layer) {
    __shared__ Shared s;
    int number = 0;
    while (number + 1 < layer.count && layer.experts[number + 1].first_tile <= blockIdx.x)
        ++number;
    const Expert expert = layer.experts[number];
    const int down = (expert.rows + TILE_M - 1) / TILE_M, index = blockIdx.x - expert.first_tile;
    const int first = index % down * TILE_M, left = index / down * TILE_N, rows = expert.rows - first;
    const int row = threadIdx.x / SIDE, column = threadIdx.x % SIDE;
    for (int i = threadIdx.x; i < TILE_M && i < rows; i += THREADS)
        s.tokens[i] = layer.order[expert.first + first + i];
    __syncthreads();
    float sums[EACH][EACH] = {};
    for (int step = 0; step < layer.k; step += TILE_K) {
        for (int i = threadIdx.x; i < TILE_M * TILE_K; i += THREADS) {
            const int r = i / TILE_K, c = i % TILE_K;
            load(s.a[c][r], x, r < rows ? s.tokens[r] : 0, step + c, r < rows, layer.k);
            load(s.b[c][r], expert.weights, left + r, step + c, left + r < layer.n, layer.k);
        }
        __syncthreads();
        for (int i = 0; i < TILE_K; ++i) {
            float l[EACH], r[EACH];
            for (int e = 0; e < EACH; ++e) {
                l[e] = __bfloat162float(s.a[i][row + e * SIDE]);
                r[e] = __bfloat162float(s.b[i][column + e * SIDE]);
            }
            for (int i = 0; i < EACH; ++i)
                for (int j = 0; j < EACH; ++j)
                    sums[i][j] += l[i] * r[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < EACH; ++i)
        for (int j = 0; j < EACH; ++j) {
            const int r = row + i * SIDE, c = left + column + j * SIDE;
            if (r < rows && c < layer.n)
                y[size_t(s.tokens[r]) * layer.n + c] = __float2bfloat16_rn(sums[i][j]);
        }
}

/// In device memory: `x`, `tokens` rows of k elements; `y`, as many rows of n; `order`, the numbers of the tokens,
/// expert by expert; `list`, `count` experts. `tiles`: how many they have together. n and k are multiples of 8, and all
/// matrices are aligned to 128 bytes.
cudaError_t launch(const bf16* x, bf16* y, const int* order, const Expert* list, int count, int tokens, int n, int k,
                   int tiles, cudaStream_t stream) {
    if (tiles == 0)
        return cudaSuccess;
    experts<<<tiles, THREADS, 0, stream>>>(x, y, {list, order, count, tokens, n, k});
    return cudaGetLastError();
}

LAB_ENTRY(launch)
