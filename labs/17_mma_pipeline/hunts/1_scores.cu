// Hunt 17.h1: scores.
// One head of an attention layer: the product of every query with every key. A block has 64 queries, 16 in each warp,
// and keeps them in registers. The keys come in tiles of 32, in two stages. Observed: since the copies of the next tile
// are issued before the barrier ("the barrier costs time in which they could be in flight"), scores change from run to
// run.
#include "lab.h"

#include <cuda_bf16.h>

using bf16 = __nv_bfloat16;

constexpr int DIM = 64, CHUNKS = DIM / 8; // of a query or key: a row of 128 bytes
constexpr int QUERIES = 64, KEYS = 32;    // of a block, and of a tile
constexpr int THREADS = QUERIES / 16 * 32;

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

struct Shared {
    bf16 queries[QUERIES * DIM], keys[2][KEYS * DIM];
};

// Returns a chunk of a row in a swizzled tile.
__device__ bf16* place(bf16* tile, int row, int chunk) {
    return tile + row * DIM + (chunk ^ (row % 8)) * 8;
}

template <int ROWS>
__device__ void issue(bf16* tile, const bf16* rows) {
    for (int i = threadIdx.x; i < ROWS * CHUNKS; i += THREADS)
        copy_16(place(tile, i / CHUNKS, i % CHUNKS), rows + i * 8);
}

__global__ void __launch_bounds__(THREADS) scores(const bf16* queries, const bf16* keys, float* out, int count) {
    __shared__ alignas(128) Shared s;
    const int lane = threadIdx.x % 32, first = threadIdx.x / 32 * 16, tiles = count / KEYS;
    issue<QUERIES>(s.queries, queries + blockIdx.x * QUERIES * DIM);
    issue<KEYS>(s.keys[0], keys);
    commit_group();

    uint32_t query[DIM / 16][4];
    for (int tile = 0; tile < tiles; ++tile) {
        if (tile + 1 < tiles)
            issue<KEYS>(s.keys[(tile + 1) % 2], keys + (tile + 1) * KEYS * DIM);
        commit_group();
        wait_group<1>();
        __syncthreads();
        if (tile == 0)
            for (int k = 0; k < DIM / 16; ++k)
                load_matrices(query[k], place(s.queries, first + lane % 16, 2 * k + lane / 16));

        for (int n = 0; n < KEYS; n += 16) {
            float d[2][4] = {};
            for (int k = 0; k < DIM / 16; ++k) {
                uint32_t key[4];
                load_matrices(key, place(s.keys[tile % 2], n + lane / 16 * 8 + lane % 8, 2 * k + lane / 8 % 2));
                mma(d[0], query[k], key[0], key[1]);
                mma(d[1], query[k], key[2], key[3]);
            }
            const int row = blockIdx.x * QUERIES + first + lane / 4, column = tile * KEYS + n + lane % 4 * 2;
            for (int i = 0; i < 8; ++i)
                out[size_t(row + i / 2 % 2 * 8) * count + column + i / 4 * 8 + i % 2] = d[i / 4][i % 4];
        }
    }
}

/// `queries`: a multiple of 64 rows of 64 elements. `keys`: `count` rows, a multiple of 32. `out`: a row of `count`
/// scores for each query.
cudaError_t launch(const bf16* queries, const bf16* keys, float* out, int rows, int count, cudaStream_t stream) {
    scores<<<rows / QUERIES, THREADS, 0, stream>>>(queries, keys, out, count);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
