// Hunt 17.h2: every warp alone.
// A linear layer without bias: each warp computes 16 rows of the result, 32 columns wide, and copies its own rows of
// the input. The weights are copied by all warps. Three stages. Observed: since the warps no longer wait for each other
// ("each one waits for its own copies"), the layer is faster, and a few results are wrong when the machine is busy.
#include "lab.h"

#include <cuda_bf16.h>

using bf16 = __nv_bfloat16;

constexpr int WARPS = 4, THREADS = WARPS * 32, STAGES = 3;
constexpr int ROWS = WARPS * 16, COLUMNS = 32; // of the result: a block computes one such tile
constexpr int DEPTH = 32, CHUNKS = DEPTH / 8;  // of a stage: rows of 64 bytes

__device__ void copy_16(void* shared, const void* global) {
    const unsigned destination = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(destination), "l"(global) : "memory");
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
__device__ void load_matrices(uint32_t (&r)[4], const void* row) {
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

// d += 16 x 16 elements of A times 16 x 8 of B.
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

struct Stage {
    bf16 input[ROWS * DEPTH], weights[COLUMNS * DEPTH];
};

// Returns a chunk of a row in a swizzled tile.
__device__ bf16* place(bf16* tile, int row, int chunk) {
    return tile + row * DEPTH + (chunk ^ (row / 2 % 4)) * 8;
}

__global__ void __launch_bounds__(THREADS) layer(const bf16* input, const bf16* weights, float* out, int n, int k) {
    __shared__ alignas(128) Stage ring[STAGES];
    const int lane = threadIdx.x % 32, first = threadIdx.x / 32 * 16, steps = k / DEPTH;
    input += size_t(blockIdx.y) * ROWS * k;
    weights += size_t(blockIdx.x) * COLUMNS * k;

    auto issue = [&](int step) { // an empty group after the last step
        Stage& stage = ring[step % STAGES];
        if (step < steps) {
            for (int i = lane; i < 16 * CHUNKS; i += 32) { // the warp's own rows
                const int row = first + i / CHUNKS, chunk = i % CHUNKS;
                copy_16(place(stage.input, row, chunk), input + size_t(row) * k + step * DEPTH + chunk * 8);
            }
            const int row = threadIdx.x / CHUNKS, chunk = threadIdx.x % CHUNKS; // one chunk of the weights
            copy_16(place(stage.weights, row, chunk), weights + size_t(row) * k + step * DEPTH + chunk * 8);
        }
        commit_group();
    };
    for (int step = 0; step < STAGES - 1; ++step)
        issue(step);

    float d[4][4] = {};
    for (int step = 0; step < steps; ++step) {
        wait_group<STAGES - 2>();
        __syncthreads(); // the weights come from all warps, and all warps have read the stage before
        issue(step + STAGES - 1);
        Stage& stage = ring[step % STAGES];
        for (int c = 0; c < CHUNKS; c += 2) {
            uint32_t a[4], b[2][4];
            load_matrices(a, place(stage.input, first + lane % 16, c + lane / 16));
            for (int j = 0; j < 2; ++j)
                load_matrices(b[j], place(stage.weights, 16 * j + lane / 16 * 8 + lane % 8, c + lane / 8 % 2));
            for (int j = 0; j < 4; ++j)
                mma(d[j], a, b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
    }
    const int row = blockIdx.y * ROWS + first + lane / 4, column = blockIdx.x * COLUMNS + lane % 4 * 2;
    for (int i = 0; i < 16; ++i)
        out[size_t(row + i / 2 % 2 * 8) * n + column + i / 4 * 8 + i % 2] = d[i / 4][i % 4];
}

/// `input`: m rows of k elements. `weights`: n rows of k. `out`: m rows of n. m is a multiple of 64, n and k of 32.
cudaError_t launch(const bf16* input, const bf16* weights, float* out, int m, int n, int k, cudaStream_t stream) {
    layer<<<dim3(n / COLUMNS, m / ROWS), THREADS, 0, stream>>>(input, weights, out, n, k);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
