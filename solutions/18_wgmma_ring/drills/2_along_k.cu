// Drill 18.2: along k
// The rows now have 192 elements, more than the swizzle's span of 128 bytes. So TMA has loaded them as three panels of
// 64 elements each, one after another in shared memory. A product takes 16 elements of k. Which address does its
// descriptor begin with? Inside of a panel, the hardware applies the swizzle to the address; you do not.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int ROWS = 64, COLUMNS = 8;
constexpr int PANEL = 64, PANELS = 3; // elements of a row in a panel: 128 bytes
constexpr int THREADS = 128;

struct Shared {
    alignas(1024) bf16 a[PANELS][ROWS][PANEL], b[PANELS][COLUMNS][PANEL];
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

// Issues d += A * transpose of B. A has 64 rows and B has 8, both of 16 elements.
__device__ void wgmma(float (&d)[4], uint64_t a, uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(a), "l"(b));
}

// Describes rows of 128 bytes, swizzled by 128 bytes, that begin at a multiple of 1024.
__device__ uint64_t descriptor(const bf16* first) {
    return uint64_t(__cvta_generic_to_shared(first) / 16) | uint64_t(8 * 128 / 16) << 32 | uint64_t(1) << 62;
}

__device__ void load(void* to, const CUtensorMap& map, int x, int y, uint64_t* full) {
    const int at[] = {x, y};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, &map, at, full);
}

// Stores a warpgroup's sums: two neighbouring columns each, in a row and in the row eight below.
__device__ void store(const float (&sums)[4], float* d) {
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4, column = lane % 4 * 2;
    for (int i = 0; i < 4; ++i)
        d[(row + i / 2 * 8) * COLUMNS + column + i % 2] = sums[i];
}

__global__ void __launch_bounds__(THREADS)
    multiply(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* d) {
    __shared__ Shared s;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&s.full, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full,
                                       sizeof s.a + sizeof s.b);
        for (int p = 0; p < PANELS; ++p) {
            load(s.a[p], a, p * PANEL, 0, &s.full);
            load(s.b[p], b, p * PANEL, 0, &s.full);
        }
    }
    __syncthreads();
    wait(&s.full, 0);
    float sums[4] = {};
    wgmma_fence();
    for (int k = 0; k < PANELS * PANEL; k += 16) {
        // TODO(1): the product that begins with element k of each row.
        wgmma(sums, descriptor(&s.a[k / PANEL][0][k % PANEL]), descriptor(&s.b[k / PANEL][0][k % PANEL]));
        // END TODO(1)
    }
    wgmma_commit();
    wgmma_wait<0>();
    store(sums, d);
}

CUresult make_map(CUtensorMap* map, const bf16* matrix, int rows, int columns) {
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, pitch[] = {sizeof(bf16) * columns};
    const cuuint32_t box[] = {64, cuuint32_t(rows)}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<bf16*>(matrix), size, pitch, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `a`: 64 rows of 192 elements. `b`: 8 rows of 192. `d`: 64 rows of 8. `depth`: 192.
cudaError_t launch(const bf16* a, const bf16* b, float* d, int depth, cudaStream_t stream) {
    CUtensorMap from_a, from_b;
    if (make_map(&from_a, a, ROWS, depth) || make_map(&from_b, b, COLUMNS, depth))
        return cudaErrorInvalidValue;
    multiply<<<1, THREADS, 0, stream>>>(from_a, from_b, d);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
