// Hunt 18.h2: shorter rows
// Scores queries against eight keys, as an attention kernel does: a warpgroup multiplies 64 queries of a head with the
// keys. A head had 64 elements, and the results were right. The new model's heads have 32, so a row is 64 bytes now.
// The tensor maps have been changed accordingly, and the loads bring what they should, but the scores are wrong.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int QUERIES = 64, KEYS = 8, HEAD = 32; // elements of a head: 64 bytes
constexpr int THREADS = 128;

struct Shared {
    alignas(1024) bf16 query[QUERIES][HEAD], key[KEYS][HEAD];
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

// Describes the rows of a head.
__device__ uint64_t descriptor(const bf16* first) {
    const uint64_t eight_rows = 8 * sizeof(bf16) * HEAD / 16, swizzle = 2;
    return uint64_t(__cvta_generic_to_shared(first) / 16) | eight_rows << 32 | swizzle << 62;
}

__device__ void load(void* to, const CUtensorMap& map, int x, int y, uint64_t* full) {
    const int at[] = {x, y};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, &map, at, full);
}

// Stores a warpgroup's sums: two neighbouring columns each, in a row and in the row eight below.
__device__ void store(const float (&sums)[4], float* d) {
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4, column = lane % 4 * 2;
    for (int i = 0; i < 4; ++i)
        d[(row + i / 2 * 8) * KEYS + column + i % 2] = sums[i];
}

// A block computes the scores of 64 queries of one head.
__global__ void __launch_bounds__(THREADS)
    score(const __grid_constant__ CUtensorMap queries, const __grid_constant__ CUtensorMap keys, float* scores,
          int count) {
    __shared__ Shared s;
    const int head = blockIdx.y, first = blockIdx.x * QUERIES;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&s.full, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full,
                                       sizeof s.query + sizeof s.key);
        load(s.query, queries, head * HEAD, first, &s.full);
        load(s.key, keys, head * HEAD, 0, &s.full);
    }
    __syncthreads();
    wait(&s.full, 0);
    float sums[4] = {};
    wgmma_fence();
    for (int k = 0; k < HEAD; k += 16)
        wgmma(sums, descriptor(&s.query[0][k]), descriptor(&s.key[0][k]));
    wgmma_commit();
    wgmma_wait<0>();
    store(sums, scores + (size_t(head) * count + first) * KEYS);
}

CUresult make_map(CUtensorMap* map, const bf16* matrix, int rows, int columns, int box_rows) {
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, pitch[] = {sizeof(bf16) * columns};
    const cuuint32_t box[] = {HEAD, cuuint32_t(box_rows)}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<bf16*>(matrix), size, pitch, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `queries`: `count` rows, a multiple of 64, of `heads` times 32 elements. `keys`: 8 such rows. `scores`: for each head
/// `count` rows of 8.
cudaError_t launch(const bf16* queries, const bf16* keys, float* scores, int count, int heads, cudaStream_t stream) {
    CUtensorMap from_queries, from_keys;
    if (make_map(&from_queries, queries, count, heads * HEAD, QUERIES) ||
        make_map(&from_keys, keys, KEYS, heads * HEAD, KEYS))
        return cudaErrorInvalidValue;
    score<<<dim3(count / QUERIES, heads), THREADS, 0, stream>>>(from_queries, from_keys, scores, count);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
