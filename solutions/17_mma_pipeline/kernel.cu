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

// What one thread has of a warp's operands for one step: four times 16 x 16 of A, and of B. A register holds two
// elements of a matrix of 8 x 8. a[i]: top left, bottom left, top right, bottom right. b[i]: top left, top right,
// bottom left, bottom right.
struct Fragments {
    uint32_t a[4][4], b[4][4];
};
// What one thread has of a warp's 64 x 64 sums.
using Sums = float[4][8][4];

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

// Loads four matrices of eight rows of 16 bytes. Lanes 8 * i to 8 * i + 7 pass the addresses of the rows of matrix i.
// Of matrix i, a lane gets two neighbouring elements in r[i]: row lane / 4, columns 2 * (lane % 4) and the next.
__device__ void load_matrices(uint32_t (&r)[4], unsigned row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row)
                 : "memory");
}

// Adds the product of 16 x 16 elements of A and the transpose of 8 x 16 elements of B, left and right, to d.
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Returns where a chunk of a row is, in bytes from the beginning of the rows.
__device__ unsigned place(int row, int chunk) {
    // TODO(1): the same chunk of eight neighbouring rows must be in different banks.
    return row * ROW + (chunk ^ (row % 8)) * CHUNK;
    // END TODO(1)
}

// Issues this thread's copies of ROWS rows of a matrix: one chunk of every COPIED-th row. The first chunk is at `from`
// and goes to `to`. Only the first `left` rows exist.
template <int ROWS>
__device__ void issue(unsigned to, const bf16* from, size_t pitch, int left) {
    constexpr int COPIED = THREADS * CHUNK / ROW;
#pragma unroll
    for (int r = 0; r < ROWS; r += COPIED) {
        // TODO(2): copy the chunk that is r rows below the first. If that row does not exist, write zeros.
        copy_16(to + r * ROW, from + r * pitch, r < left ? CHUNK : 0);
        // END TODO(2)
    }
}

// Loads a warp's operands for one step: 64 rows of A from row `m` of the stage on, and 64 of B from row `n` on.
__device__ void load(Fragments& f, unsigned stage, int m, int n, int step) {
    [[maybe_unused]] const unsigned a = stage, b = stage + TILE_M * ROW;
    [[maybe_unused]] const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        // TODO(3): which row, and which chunk of it, does this lane pass? The order is that of mma's registers.
        load_matrices(f.a[i], a + place(m + 16 * i + lane % 16, 2 * step + lane / 16));
        load_matrices(f.b[i], b + place(n + 16 * i + lane / 16 * 8 + lane % 8, 2 * step + lane / 8 % 2));
        // END TODO(3)
    }
}

__device__ void multiply(Sums& sums, const Fragments& f) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j)
            mma(sums[i][j], f.a[i], f.b[j / 2][j % 2 * 2], f.b[j / 2][j % 2 * 2 + 1]);
}

__device__ uint32_t pack(float low, float high) {
    const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
    uint32_t bits;
    memcpy(&bits, &both, sizeof bits);
    return bits;
}

// Four neighbouring lanes have four words each, and exchange them: word i of lane j becomes word j of lane i.
__device__ void exchange(uint32_t (&word)[4]) {
#pragma unroll
    for (int bit = 1; bit < 4; bit *= 2)
#pragma unroll
        for (int i = 0; i < 4; ++i)
            if ((i & bit) == 0) {
                const bool odd = threadIdx.x & bit;
                const uint32_t other = __shfl_xor_sync(~0u, odd ? word[i] : word[i + bit], bit);
                word[i] = odd ? other : word[i];
                word[i + bit] = odd ? word[i + bit] : other;
            }
}

// Stores a warp's sums to D, which has m rows of n columns. `y` and `x` are where they begin. A lane has two of eight
// neighbouring columns. It exchanges them with its neighbours for all eight, so that it stores 16 bytes at a time.
__device__ void store(const Sums& sums, bf16* d, int m, int n, int y, int x) {
    const int lane = threadIdx.x % 32, row = y + lane / 4, column = x + lane % 4 * 8;
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 8; j += 4)
#pragma unroll
            for (int e = 0; e < 4; e += 2) {
                uint32_t eight[4];
#pragma unroll
                for (int b = 0; b < 4; ++b)
                    eight[b] = pack(sums[i][j + b][e], sums[i][j + b][e + 1]);
                exchange(eight);
                if (const int r = row + 16 * i + 4 * e, c = column + 8 * j; r < m && c < n)
                    *reinterpret_cast<uint4*>(&d[size_t(r) * n + c]) = {eight[0], eight[1], eight[2], eight[3]};
            }
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

    const int warp = threadIdx.x / 32, warp_m = warp % (TILE_M / WARP) * WARP, warp_n = warp / (TILE_M / WARP) * WARP;
    Sums sums = {};
    Fragments f[2]; // in registers: those of one step are loaded while those of the other are multiplied

    // TODO(4): issue the first STAGES - 1 tiles, one group each, and load the operands of the first step.
    for (int tile = 0; tile < STAGES - 1; ++tile) {
        issue_tile(tile, tile);
        commit_group();
    }
    wait_group<STAGES - 2>();
    __syncthreads();
    load(f[0], ring, warp_m, warp_n, 0);
    // END TODO(4)

    int stage = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        // TODO(5): load the operands of the next step, then multiply those of this one. Issue the tile that is
        // STAGES - 1 rounds ahead. When must the next tile be complete, and which stage is free?
        const int next = (stage + 1) % STAGES, free = (stage + STAGES - 1) % STAGES;
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            if (step == 1) {
                issue_tile(free, tile + STAGES - 1);
                commit_group();
            }
            if (step == STEPS - 1) {
                wait_group<STAGES - 2>();
                __syncthreads();
            }
            load(f[(step + 1) % 2], ring + (step == STEPS - 1 ? next : stage) * STAGE, warp_m, warp_n,
                 (step + 1) % STEPS);
            multiply(sums, f[step % 2]);
        }
        stage = next;
        // END TODO(5)
    }
    store(sums, d, m, n, y + warp_m, x + warp_n);
}

/// `a`: m rows of k elements. `b`: n rows of k. `d`: m rows of n. All are in device memory, 128-byte aligned, with
/// contiguous rows. n and k are multiples of 8. `stages`: 2, 3 or 4; fewer are used if shared memory is too small.
cudaError_t launch(const bf16* a, const bf16* b, bf16* d, int m, int n, int k, int stages, cudaStream_t stream) {
    if (m == 0 || n == 0)
        return cudaSuccess;
    int device = 0, most = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    stages = std::min(stages, most / STAGE);
    const auto kernel = stages == 4 ? gemm<4> : stages == 3 ? gemm<3> : gemm<2>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, stages * STAGE);
    const int blocks = (m + TILE_M - 1) / TILE_M * ((n + TILE_N - 1) / TILE_N);
    kernel<<<blocks, THREADS, stages * STAGE, stream>>>(a, b, d, m, n, k);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
