// expect: case "one tile of the operands"
// The copies overlap, but ordinary instructions multiply.
// Lab 17: D = A * transpose of B, in bfloat16, on tensor cores. cp.async keeps STAGES - 1 tiles of the operands in
// flight, ldmatrix loads fragments of a tile from swizzled rows, and mma.sync multiplies them.
#include "lab.h"

#include <algorithm>
#include <cuda_bf16.h>

using bf16 = __nv_bfloat16;

constexpr int TILE_M = 256, TILE_N = 128; // of D: a block computes one tile
constexpr int TILE_K = 64;                // of a stage: rows of 128 bytes, which are eight chunks of 16
constexpr int ROW = TILE_K * 2, CHUNK = 16;
constexpr int STAGE = (TILE_M + TILE_N) * ROW; // bytes: the rows of A, then those of B
constexpr int WARP = 64;                       // rows and columns of the tile that a warp computes
constexpr int THREADS = TILE_M / WARP * (TILE_N / WARP) * 32;
constexpr int STEPS = TILE_K / 16; // of a stage: one mma.sync adds up 16 products for each element of D
constexpr int GROUP = 8;           // tiles of D that are computed together, one below the other

using Sums = float[TILE_N]; // of a row of the tile: one thread computes it

__device__ void copy_16(unsigned shared, const void* global, int valid) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(valid) : "memory");
}

__device__ void commit_group() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Returns when at most the N youngest groups of this thread are incomplete.
template <int N>
__device__ void wait_group() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

__device__ uint4 load_16(unsigned shared) {
    uint4 value;
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "r"(shared)
                 : "memory");
    return value;
}

// Adds the two products of the halves of a register.
__device__ float add_products(float sum, uint32_t x, uint32_t y) {
    sum += __uint_as_float(x << 16) * __uint_as_float(y << 16);
    return sum + __uint_as_float(x & 0xffff0000) * __uint_as_float(y & 0xffff0000);
}

// Returns where a chunk of a row is, in bytes from the beginning of the rows.
__device__ unsigned place(int row, int chunk) {
    return row * ROW + (chunk ^ (row % 8)) * CHUNK;
}

// Issues this thread's copies of ROWS rows of a matrix: one chunk of every COPIED-th row. The first chunk is at `from`
// and goes to `to`. Only the first `left` rows exist.
template <int ROWS>
__device__ void issue(unsigned to, const bf16* from, size_t pitch, int left) {
    constexpr int COPIED = THREADS * CHUNK / ROW;
#pragma unroll
    for (int r = 0; r < ROWS; r += COPIED) {
        copy_16(to + r * ROW, from + r * pitch, r < left ? CHUNK : 0);
    }
}

// Multiplies a row of A with the rows of B in a stage, with ordinary instructions.
__device__ void multiply(Sums& sums, unsigned stage) {
    for (int chunk = 0; chunk < 8; ++chunk) {
        const uint4 x = load_16(stage + place(threadIdx.x, chunk));
#pragma unroll
        for (int n = 0; n < TILE_N; ++n) {
            const uint4 y = load_16(stage + TILE_M * ROW + place(n, chunk));
            sums[n] = add_products(sums[n], x.x, y.x), sums[n] = add_products(sums[n], x.y, y.y);
            sums[n] = add_products(sums[n], x.z, y.z), sums[n] = add_products(sums[n], x.w, y.w);
        }
    }
}

// Stores a row of sums to D, which has m rows of n columns. `y` and `x` are where they begin.
__device__ void store(const Sums& sums, bf16* d, int m, int n, int y, int x) {
#pragma unroll
    for (int c = 0; c < TILE_N; ++c)
        if (y < m && x + c < n)
            d[size_t(y) * n + x + c] = __float2bfloat16_rn(sums[c]);
}

template <int STAGES>
__global__ void __launch_bounds__(THREADS, 1) gemm(const bf16* a, const bf16* b, bf16* d, int m, int n, int k) {
    extern __shared__ __align__(128) unsigned char shared[];
    const unsigned ring = static_cast<unsigned>(__cvta_generic_to_shared(shared));

    // Blocks that run at the same time compute tiles near to each other, so they find their operands in the L2 cache.
    const int down = (m + TILE_M - 1) / TILE_M, across = (n + TILE_N - 1) / TILE_N;
    const int first = blockIdx.x / (GROUP * across) * GROUP, t = blockIdx.x % (GROUP * across);
    const int height = min(GROUP, down - first);
    const int y = (first + t % height) * TILE_M, x = t / height * TILE_N;
    const int tiles = (k + TILE_K - 1) / TILE_K;

    // Issues this thread's share of a tile of A and of B. After the last tile there is nothing to copy.
    const int row = threadIdx.x / 8, chunk = threadIdx.x % 8;
    const bf16 *from_a = a + size_t(y + row) * k + chunk * 8, *from_b = b + size_t(x + row) * k + chunk * 8;
    const unsigned to = ring + place(row, chunk);
    auto issue_tile = [&](int stage, int tile) {
        if (tile >= tiles)
            return;
        const int column = tile * TILE_K;
        const bool inside = column + chunk * 8 < k;
        issue<TILE_M>(to + stage * STAGE, from_a + column, k, inside ? m - y - row : 0);
        issue<TILE_N>(to + stage * STAGE + TILE_M * ROW, from_b + column, k, inside ? n - x - row : 0);
    };

    Sums sums = {};

    for (int tile = 0; tile < STAGES - 1; ++tile) {
        issue_tile(tile, tile);
        commit_group();
    }

    int stage = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        const int next = (stage + 1) % STAGES, free = (stage + STAGES - 1) % STAGES;
        wait_group<STAGES - 2>();
        __syncthreads();
        issue_tile(free, tile + STAGES - 1);
        commit_group();
        multiply(sums, ring + stage * STAGE);
        stage = next;
    }
    store(sums, d, m, n, y + threadIdx.x, x);
}

/// `a`: m rows of k elements. `b`: n rows of k. `d`: m rows of n. All are in device memory, 128-byte aligned, with
/// contiguous rows. n and k are multiples of 8. `stages`: 2, 3 or 4; fewer are used if shared memory is too small.
cudaError_t launch(const bf16* a, const bf16* b, bf16* d, int m, int n, int k, int stages, cudaStream_t stream) {
    if (m == 0 || n == 0)
        return cudaSuccess;
    int most = 0;
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    stages = std::min(stages, most / STAGE);
    const auto kernel = stages == 4 ? gemm<4> : stages == 3 ? gemm<3> : gemm<2>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, stages * STAGE);
    const int blocks = (m + TILE_M - 1) / TILE_M * ((n + TILE_N - 1) / TILE_N);
    kernel<<<blocks, THREADS, stages * STAGE, stream>>>(a, b, d, m, n, k);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
