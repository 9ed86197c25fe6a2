// Hunt 22.h2: freed in between
// Scores 128 queries against 32 keys and stores the largest score of each query. To free the columns as early as
// possible, warp 0 frees them as soon as it has what it needs. With one block on an SM, the results are right. With
// more of them, some are wrong, and not always the same ones.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int ROWS = 128, COLUMNS = 32, DEPTH = 64; // queries, keys, elements of each
constexpr int THREADS = 128;                        // four warps

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

__global__ void __launch_bounds__(THREADS)
    score(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* best) {
    __shared__ Shared s;
    const int warp = threadIdx.x / 32;
    prepare(s);
    if (threadIdx.x == 0) {
        load(s, a, b);
        multiply(s);
        ptx::tcgen05_commit(ptx::cta_group_1, &s.done);
    }
    __syncwarp();
    wait(&s.done, 0);
    uint32_t scores[COLUMNS];
    ptx::tcgen05_ld_32x32b(scores, s.sums + (warp * 32 << 16));
    ptx::tcgen05_wait_ld();
    __syncthreads(); // all warps have loaded their scores
    if (warp == 0)
        ptx::tcgen05_dealloc(ptx::cta_group_1, s.sums, COLUMNS);
    float largest = __uint_as_float(scores[0]);
    for (int i = 1; i < COLUMNS; ++i)
        largest = fmaxf(largest, __uint_as_float(scores[i]));
    best[threadIdx.x] = largest;
}

CUresult make_map(CUtensorMap* map, const bf16* matrix, int rows) {
    const cuuint64_t size[] = {DEPTH, cuuint64_t(rows)}, pitch[] = {sizeof(bf16) * DEPTH};
    const cuuint32_t box[] = {DEPTH, cuuint32_t(rows)}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<bf16*>(matrix), size, pitch, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `queries`: 128 rows of 64 elements. `keys`: 32 rows of 64. `best`: 128 numbers.
cudaError_t launch(const bf16* queries, const bf16* keys, float* best, cudaStream_t stream) {
    CUtensorMap from_queries, from_keys;
    if (make_map(&from_queries, queries, ROWS) || make_map(&from_keys, keys, COLUMNS))
        return cudaErrorInvalidValue;
    score<<<1, THREADS, 0, stream>>>(from_queries, from_keys, best);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
