// Drill 18.4: which stage is free
// One warp loads into a ring of three stages, and a warpgroup multiplies. While the products of one stage are in
// flight, the warpgroup should already issue those of the next one. So it never waits for the group that it has just
// committed. Which stage has no reader any more after the wait?
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int ROWS = 64, COLUMNS = 8, STEP = 64; // a stage has STEP elements of each row
constexpr int STAGES = 3;
constexpr int CONSUMER_THREADS = 128, THREADS = CONSUMER_THREADS + 32; // a warpgroup, and a warp that loads

struct Shared {
    alignas(1024) bf16 a[STAGES][ROWS][STEP], b[STAGES][COLUMNS][STEP];
    uint64_t full[STAGES], empty[STAGES];
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

__device__ void produce(Shared& s, const CUtensorMap& a, const CUtensorMap& b, int steps) {
    for (int step = 0; step < steps; ++step) {
        const int stage = step % STAGES;
        wait(&s.empty[stage], (step / STAGES + 1) % 2);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[stage],
                                       sizeof s.a[stage] + sizeof s.b[stage]);
        load(s.a[stage], a, step * STEP, 0, &s.full[stage]);
        load(s.b[stage], b, step * STEP, 0, &s.full[stage]);
    }
}

__global__ void __launch_bounds__(THREADS)
    multiply(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* d, int steps) {
    __shared__ Shared s;
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; ++i) {
            ptx::mbarrier_init(&s.full[i], 1);
            ptx::mbarrier_init(&s.empty[i], CONSUMER_THREADS / 32);
        }
    __syncthreads();
    if (threadIdx.x >= CONSUMER_THREADS) {
        if (threadIdx.x == CONSUMER_THREADS)
            produce(s, a, b, steps);
        return;
    }
    float sums[4] = {};
    for (int step = 0; step < steps; ++step) {
        const int stage = step % STAGES;
        wait(&s.full[stage], step / STAGES % 2);
        wgmma_fence();
        for (int k = 0; k < STEP; k += 16)
            wgmma(sums, descriptor(&s.a[stage][0][k]), descriptor(&s.b[stage][0][k]));
        wgmma_commit();
        // TODO(1): leave this group in flight. One lane of each warp arrives on `empty` of the stage that is free now.
        wgmma_wait<1>();
        if (step > 0 && threadIdx.x % 32 == 0)
            ptx::mbarrier_arrive(&s.empty[(step - 1) % STAGES]);
        // END TODO(1)
    }
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

/// `a`: 64 rows of `depth` elements, a multiple of 64. `b`: 8 rows of `depth`. `d`: 64 rows of 8.
cudaError_t launch(const bf16* a, const bf16* b, float* d, int depth, cudaStream_t stream) {
    CUtensorMap from_a, from_b;
    if (make_map(&from_a, a, ROWS, depth) || make_map(&from_b, b, COLUMNS, depth))
        return cudaErrorInvalidValue;
    multiply<<<1, THREADS, 0, stream>>>(from_a, from_b, d, depth / STEP);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
