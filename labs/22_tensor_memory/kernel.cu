// Lab 22: D = A * transpose of B, in bfloat16, on Blackwell's tensor cores. The sums of a tile are in Tensor Memory:
// one thread multiplies, and all threads read the result.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int TILE_M = 128, TILE_N = 128; // of D: a block computes one tile, in TILE_N columns of Tensor Memory
constexpr int TILE_K = 64;                // of a step: 128 bytes, the span of the widest swizzle
constexpr int THREADS = 128;              // four warps: each reads a quarter of the lanes of Tensor Memory

struct Shared {
    alignas(1024) bf16 a[TILE_M][TILE_K], b[TILE_N][TILE_K]; // aligned to the pattern of the swizzle
    uint64_t full, empty, done;
    uint32_t sums; // where they are in Tensor Memory: lane << 16 | column
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Describes rows of 128 bytes in shared memory, swizzled by 128 bytes, to tcgen05. `first`: the first row's element
// that the product begins with.
__device__ uint64_t descriptor(const bf16* first) {
    // TODO(2): the start, the distance from eight rows to the next eight, the version, the swizzle.
    return __cvta_generic_to_shared(first) / 16; // placeholder
    // END TODO(2)
}

// Describes the product to tcgen05: types, and a shape of TILE_M x TILE_N.
__device__ constexpr uint32_t product() {
    // TODO(3): the types (of D: 1 is f32; of A and of B: 1 is bf16), N / 8 and M / 16.
    return 0; // placeholder
    // END TODO(3)
}

// Loads the operands of the tile at row y, column x, and multiplies them, step by step. Called by one thread.
__device__ void multiply(Shared& s, const CUtensorMap& a, const CUtensorMap& b, int y, int x, int steps) {
    for (int step = 0; step < steps; ++step) {
        [[maybe_unused]] const int at_a[] = {step * TILE_K, y}, at_b[] = {step * TILE_K, x};
        // TODO(4): wait until the products of the step before are complete, announce the bytes, load both tiles.
        // END TODO(4)

        // TODO(5): wait for the bytes, issue a product for every 16 elements of k, and commit them to `empty`. The
        // very first product overwrites the sums.
        // END TODO(5)
    }
    // TODO(6): `done` completes when all products are complete.
    // END TODO(6)
}

__device__ uint32_t pack(uint32_t low, uint32_t high) {
    const __nv_bfloat162 both = __floats2bfloat162_rn(__uint_as_float(low), __uint_as_float(high));
    uint32_t bits;
    memcpy(&bits, &both, sizeof bits);
    return bits;
}

// Stores the tile's sums to D, which has m rows of n columns; they begin at row y, column x. A thread has one row.
__device__ void store(const Shared& s, bf16* d, int m, int n, int y, int x) {
    const int row = y + threadIdx.x;
    for (int column = 0; column < TILE_N; column += 32) {
        uint32_t sums[32] = {};
        // TODO(8): load 32 columns of the lanes that belong to this warp, and wait for them.
        // END TODO(8)
#pragma unroll
        for (int i = 0; i < 32; i += 8)
            if (row < m && x + column + i < n)
                *reinterpret_cast<uint4*>(&d[size_t(row) * n + x + column + i]) = {
                    pack(sums[i], sums[i + 1]), pack(sums[i + 2], sums[i + 3]), pack(sums[i + 4], sums[i + 5]),
                    pack(sums[i + 6], sums[i + 7])};
        __syncwarp(); // the next load is for the whole warp
    }
}

__global__ void __launch_bounds__(THREADS)
    gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, bf16* d, int m, int n, int k) {
    __shared__ Shared s;
    const int across = (n + TILE_N - 1) / TILE_N, steps = (k + TILE_K - 1) / TILE_K;
    const int y = blockIdx.x / across * TILE_M, x = blockIdx.x % across * TILE_N;

    // TODO(1): one thread initialises the barriers, one warp allocates TILE_N columns, and every thread may then read
    // s.sums.
    // END TODO(1)

    if (threadIdx.x == 0)
        multiply(s, a, b, y, x, steps);
    __syncwarp();
    // TODO(7): wait until the sums are complete.
    // END TODO(7)
    store(s, d, m, n, y, x);

    // TODO(9): when no warp reads the columns any more, the warp that has allocated them frees them.
    // END TODO(9)
}

// Makes a map of a matrix for boxes of `box_rows` rows and TILE_K columns.
CUresult make_map(CUtensorMap* map, const bf16* matrix, int rows, int columns, int box_rows) {
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, pitch[] = {sizeof(bf16) * cuuint64_t(columns)};
    const cuuint32_t box[] = {TILE_K, cuuint32_t(box_rows)}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<bf16*>(matrix), size, pitch, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `a`: m rows of k elements. `b`: n rows of k. `d`: m rows of n. All are in device memory, 128-byte aligned, with
/// contiguous rows. n and k are multiples of 8.
cudaError_t launch(const bf16* a, const bf16* b, bf16* d, int m, int n, int k, cudaStream_t stream) {
    if (m == 0 || n == 0)
        return cudaSuccess;
    if (k == 0) // a map cannot describe a matrix without columns
        return cudaMemsetAsync(d, 0, size_t(m) * n * sizeof(bf16), stream);
    CUtensorMap map_a, map_b;
    if (make_map(&map_a, a, m, k, TILE_M) || make_map(&map_b, b, n, k, TILE_N))
        return cudaErrorInvalidValue;
    const int tiles = (m + TILE_M - 1) / TILE_M * ((n + TILE_N - 1) / TILE_N);
    gemm<<<tiles, THREADS, 0, stream>>>(map_a, map_b, d, m, n, k);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
