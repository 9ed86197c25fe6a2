// D = A * transpose of B, 16 x 16 elements. cp.async fills a ring with 64 columns of A and B at a time; two warps multiply.
#include <cuda_bf16.h>

constexpr int stages = STAGES, threads = 64, columns = 64;
constexpr int row_bytes = 2 * columns, operand = 16 * row_bytes;

// Returns where a chunk of 16 bytes of a row is.
__device__ unsigned place(int row, int chunk) {
#if SWIZZLE == on
    return row * row_bytes + (chunk ^ row % 8) * 16;
#else
    return row * row_bytes + chunk * 16;
#endif
}

__device__ void copy(unsigned shared, const __nv_bfloat16* global) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
}

// Load four, or two, matrices of eight rows of 16 bytes: each lane passes the address of one row.
__device__ void load(unsigned (&r)[4], unsigned row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row) : "memory");
}
__device__ void load(unsigned (&r)[2], unsigned row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(row) : "memory");
}

__global__ void multiply(const __nv_bfloat16* a, const __nv_bfloat16* b, float* d, int tiles) {
    __shared__ alignas(128) unsigned char ring[stages][2 * operand];
    const unsigned first = __cvta_generic_to_shared(ring);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    auto issue = [&](int tile) {
        const unsigned stage = first + tile % stages * 2 * operand;
        if (tile < tiles)
            for (int i = threadIdx.x; i < 16 * 8; i += threads) {
                const int row = i / 8, chunk = i % 8, from = (row * tiles + tile) * columns + 8 * chunk;
                copy(stage + place(row, chunk), a + from);
                copy(stage + operand + place(row, chunk), b + from);
            }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (int tile = 0; tile < stages - 1; ++tile)
        issue(tile);
    float sums[4] = {};
    for (int tile = 0; tile < tiles; ++tile) {
#if PENDING == none
#else
        asm volatile("cp.async.wait_group PENDING;" ::: "memory");
#endif
#if BARRIER == on
        __syncthreads();
#endif
        issue(tile + stages - 1);
        const unsigned stage = first + tile % stages * 2 * operand;
        for (int step = 0; step < 4; ++step) {
            unsigned f[4], g[2];
            load(f, stage + place(lane % 16, 2 * step + lane / 16));
            load(g, stage + operand + place(8 * warp + lane % 8, 2 * step + lane / 8 % 2));
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                         "{%8, %9}, {%0, %1, %2, %3};" : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                         : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "r"(g[0]), "r"(g[1]));
        }
    }
    for (int i = 0; i < 4; ++i)
        d[(lane / 4 + i / 2 * 8) * 16 + 8 * warp + lane % 4 * 2 + i % 2] = sums[i];
}
