// Hunt 22.h1: rows of another warp
// The kernel had four warps, and warp 0 multiplied before it stored its rows. Then it got a fifth warp of its own for
// that: warp 0 loads and multiplies, and warps 1 to 4 store the sums. Each row is still stored once, but the results are
// wrong.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int ROWS = 128, COLUMNS = 32, DEPTH = 64; // D is ROWS x COLUMNS, a row of A and of B has DEPTH elements
constexpr int THREADS = 160;                        // warp 0 multiplies, warps 1 to 4 store

struct Shared {
    alignas(1024) bf16 a[ROWS][DEPTH], b[COLUMNS][DEPTH];
    uint64_t full, done;
    uint32_t sums; // their address in Tensor Memory: lane << 16 | column
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Describes rows of 128 bytes in shared memory, swizzled by 128 bytes.
__device__ uint64_t descriptor(const bf16* first) {
    return __cvta_generic_to_shared(first) / 16 | uint64_t(8 * 128 / 16) << 32 | uint64_t(1) << 46 | uint64_t(2) << 61;
}

// Describes the product: sums in f32, operands in bf16, ROWS x COLUMNS.
__device__ constexpr uint32_t product() {
    return 1 << 4 | 1 << 7 | 1 << 10 | COLUMNS / 8 << 17 | ROWS / 16 << 24;
}

// Loads both operands, and waits for them. Called by one thread.
__device__ void load(Shared& s, const CUtensorMap& a, const CUtensorMap& b) {
    const int at[] = {0, 0};
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full,
                                   sizeof s.a + sizeof s.b);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.a, &a, at, &s.full);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.b, &b, at, &s.full);
    wait(&s.full, 0);
}

// Issues the products of all k. Called by one thread.
__device__ void multiply(Shared& s) {
    for (int k = 0; k < DEPTH; k += 16)
        ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_1, s.sums, descriptor(&s.a[0][k]), descriptor(&s.b[0][k]),
                         product(), k > 0);
}

// Initialises the barriers and allocates the columns. Called by all threads.
__device__ void prepare(Shared& s) {
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&s.full, 1);
        ptx::mbarrier_init(&s.done, 1);
    }
    if (threadIdx.x / 32 == 0)
        ptx::tcgen05_alloc(ptx::cta_group_1, &s.sums, COLUMNS);
    __syncthreads();
}

// Frees the columns when no warp uses them any more. Called by all threads.
__device__ void release(Shared& s) {
    __syncthreads();
    if (threadIdx.x / 32 == 0)
        ptx::tcgen05_dealloc(ptx::cta_group_1, s.sums, COLUMNS);
}

// Stores the sums. Called by four warps, each of which stores 32 rows.
__device__ void store(const Shared& s, float* d) {
    const int part = threadIdx.x / 32 - 1, row = part * 32 + threadIdx.x % 32;
    uint32_t sums[COLUMNS];
    ptx::tcgen05_ld_32x32b(sums, s.sums + (part * 32 << 16));
    ptx::tcgen05_wait_ld();
    for (int i = 0; i < COLUMNS; ++i)
        d[row * COLUMNS + i] = __uint_as_float(sums[i]);
}

__global__ void __launch_bounds__(THREADS)
    gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* d) {
    __shared__ Shared s;
    prepare(s);
    if (threadIdx.x == 0) {
        load(s, a, b);
        multiply(s);
        ptx::tcgen05_commit(ptx::cta_group_1, &s.done);
    } else if (threadIdx.x >= 32) {
        wait(&s.done, 0);
        store(s, d);
    }
    __syncwarp();
    release(s);
}

CUresult make_map(CUtensorMap* map, const bf16* matrix, int rows) {
    const cuuint64_t size[] = {DEPTH, cuuint64_t(rows)}, pitch[] = {sizeof(bf16) * DEPTH};
    const cuuint32_t box[] = {DEPTH, cuuint32_t(rows)}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<bf16*>(matrix), size, pitch, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `a`: 128 rows of 64 elements. `b`: 32 rows of 64. `d`: 128 rows of 32.
cudaError_t launch(const bf16* a, const bf16* b, float* d, cudaStream_t stream) {
    CUtensorMap from_a, from_b;
    if (make_map(&from_a, a, ROWS) || make_map(&from_b, b, COLUMNS))
        return cudaErrorInvalidValue;
    gemm<<<1, THREADS, 0, stream>>>(from_a, from_b, d);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
