// Drill 21.3: rows of V
// O = W * V: each row of V belongs to one key, one step of k, so the operand lies across k (the last number of wgmma is
// 1). TMA has loaded its 32 columns in two panels of 16 columns, 32 bytes, with the 32-byte swizzle. For such an
// operand, bits 29-16 of the descriptor are the distance from a panel to the next one, and bits 45-32 that from eight
// rows to the next eight, in units of 16 bytes. Bits 63-62 are 3.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int ROWS = 64, KEYS = 64, COLUMNS = 32;
constexpr int PANEL = 16; // columns of V: 32 bytes
constexpr int THREADS = 128;

struct Shared {
    alignas(1024) bf16 w[ROWS][KEYS];
    bf16 v[COLUMNS / PANEL][KEYS][PANEL];
    uint64_t full;
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

__device__ void wgmma_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ void wgmma_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int N>
__device__ void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

#define FOUR(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(d, i) FOUR(d, i), FOUR(d, i + 4), FOUR(d, i + 8), FOUR(d, i + 12)

// Issues d += A * B. A has 64 rows of 16 elements, B has 16 rows of 32.
__device__ void wgmma(float (&d)[16], uint64_t a, uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "
                 "%16, %17, 1, 1, 1, 0, 1;"
                 : SIXTEEN(d, 0)
                 : "l"(a), "l"(b));
}

// Describes rows that lie along k, of 128 bytes, swizzled by 128 bytes, that begin at a multiple of 1024.
__device__ uint64_t along_k(const bf16* first) {
    return uint64_t(__cvta_generic_to_shared(first) / 16) | uint64_t(8 * 128 / 16) << 32 | uint64_t(1) << 62;
}

// Describes rows of V, from `first` on.
__device__ uint64_t across_k(const bf16* first) {
    const uint64_t start = __cvta_generic_to_shared(first) / 16;
    // TODO(1): two distances and the swizzle.
    return start | uint64_t(KEYS * 32 / 16) << 16 | uint64_t(8 * 32 / 16) << 32 | uint64_t(3) << 62;
    // END TODO(1)
}

__device__ void load(void* to, const CUtensorMap& map, int x, int y, uint64_t* full) {
    const int at[] = {x, y};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, &map, at, full);
}

__global__ void __launch_bounds__(THREADS)
    multiply(const __grid_constant__ CUtensorMap w, const __grid_constant__ CUtensorMap v, float* o) {
    __shared__ Shared s;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&s.full, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full,
                                       sizeof s.w + sizeof s.v);
        load(s.w, w, 0, 0, &s.full);
        for (int p = 0; p < COLUMNS / PANEL; ++p)
            load(s.v[p], v, p * PANEL, 0, &s.full);
    }
    __syncthreads();
    wait(&s.full, 0);
    float sums[COLUMNS / 2] = {};
    wgmma_fence();
    for (int k = 0; k < KEYS; k += 16) {
        const bf16* first = s.v[0][0];
        // TODO(2): the row of V that this product begins with.
        first = s.v[0][k];
        // END TODO(2)
        wgmma(sums, along_k(&s.w[0][k]), across_k(first));
    }
    wgmma_commit();
    wgmma_wait<0>();
    for (float& sum : sums)
        asm volatile("" : "+f"(sum)::"memory");
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4, column = lane % 4 * 2;
    for (int i = 0; i < COLUMNS / 2; ++i)
        o[(row + i / 2 % 2 * 8) * COLUMNS + i / 4 * 8 + column + i % 2] = sums[i];
}

CUresult make_map(CUtensorMap* map, const bf16* matrix, int columns, int box_columns, CUtensorMapSwizzle swizzle) {
    const cuuint64_t size[] = {cuuint64_t(columns), 64}, pitch[] = {sizeof(bf16) * columns};
    const cuuint32_t box[] = {cuuint32_t(box_columns), 64}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<bf16*>(matrix), size, pitch, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `w`: 64 rows of 64 elements. `v`: 64 rows of 32. `o`: 64 rows of 32.
cudaError_t launch(const bf16* w, const bf16* v, float* o, cudaStream_t stream) {
    CUtensorMap from_w, from_v;
    if (make_map(&from_w, w, KEYS, KEYS, CU_TENSOR_MAP_SWIZZLE_128B) ||
        make_map(&from_v, v, COLUMNS, PANEL, CU_TENSOR_MAP_SWIZZLE_32B))
        return cudaErrorInvalidValue;
    multiply<<<1, THREADS, 0, stream>>>(from_w, from_v, o);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
