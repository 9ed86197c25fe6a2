// Hunt 21.h1: room for the next keys
// Linear attention, which has no softmax: O = (Q * transpose of K) * V, in steps of 64 keys through a ring. V is stored
// by columns. To let the producer begin earlier, a colleague has moved the release of a stage up to the place where the
// scores are complete. The scores are right, but now and then some outputs are not.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int ROWS = 64, KEYS = 64, OUTPUTS = 8; // of a block: queries; of a stage: keys; columns of V
constexpr int HEAD = 64;                         // elements of a row of Q and K: 128 bytes
constexpr int STAGES = 2;
constexpr int CONSUMER_THREADS = 128, THREADS = CONSUMER_THREADS + 32; // a warpgroup, and a warp that loads

struct Shared {
    alignas(1024) bf16 q[ROWS][HEAD], k[STAGES][KEYS][HEAD], v[STAGES][OUTPUTS][KEYS];
    uint64_t q_full, full[STAGES], empty[STAGES];
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

// Issues d = A * transpose of B, plus d if `add`. A and B have 64 rows of 16 elements each.
__device__ void wgmma(float (&d)[32], uint64_t a, uint64_t b, bool add) {
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %34, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
                 "%32, %33, add, 1, 1, 0, 0;\n}"
                 : SIXTEEN(d, 0), SIXTEEN(d, 16)
                 : "l"(a), "l"(b), "r"(int(add)));
}

// Issues d += A * transpose of B. A is in registers, 64 rows of 16 elements; B has 8 rows of 16 elements.
__device__ void wgmma(float (&d)[4], const uint32_t* a, uint64_t b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;"
        : FOUR(d, 0)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// Describes rows of 128 bytes, swizzled by 128 bytes, that begin at a multiple of 1024.
__device__ uint64_t descriptor(const bf16* first) {
    return uint64_t(__cvta_generic_to_shared(first) / 16) | uint64_t(8 * 128 / 16) << 32 | uint64_t(1) << 62;
}

// Two numbers of bf16 in a register.
__device__ uint32_t pack(float low, float high) {
    const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
    uint32_t bits;
    memcpy(&bits, &both, sizeof bits);
    return bits;
}

__device__ void load(void* to, const CUtensorMap& map, int x, int y, uint64_t* full) {
    const int at[] = {x, y};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, &map, at, full);
}

// Stores a warpgroup's sums: two neighbouring columns each, in a row and in the row eight below.
__device__ void store(const float (&sums)[4], float* d) {
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4, column = lane % 4 * 2;
    for (int i = 0; i < 4; ++i)
        d[(row + i / 2 * 8) * OUTPUTS + column + i % 2] = sums[i];
}

__device__ void produce(Shared& s, const CUtensorMap& q, const CUtensorMap& k, const CUtensorMap& v, int first,
                        int steps) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.q_full, sizeof s.q);
    load(s.q, q, 0, first, &s.q_full);
    for (int step = 0; step < steps; ++step) {
        const int stage = step % STAGES;
        wait(&s.empty[stage], (step / STAGES + 1) % 2);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[stage],
                                       sizeof s.k[stage] + sizeof s.v[stage]);
        load(s.k[stage], k, 0, step * KEYS, &s.full[stage]);
        load(s.v[stage], v, step * KEYS, 0, &s.full[stage]);
    }
}

// The registers of the scores are those of operand A, two numbers in each.
__device__ void convert(uint32_t (&weights)[KEYS / 4], float (&scores)[KEYS / 2]) {
    for (float& score : scores)
        asm volatile("" : "+f"(score)::"memory"); // the compiler reads none before the wait
#pragma unroll
    for (int i = 0; i < KEYS / 4; ++i)
        weights[i] = pack(scores[2 * i], scores[2 * i + 1]);
}

__device__ void consume(Shared& s, float (&sums)[4], int steps) {
    for (int step = 0; step < steps; ++step) {
        const int stage = step % STAGES;
        float scores[KEYS / 2];
        uint32_t weights[KEYS / 4];
        wait(&s.full[stage], step / STAGES % 2);
        wgmma_fence();
        for (int e = 0; e < HEAD; e += 16)
            wgmma(scores, descriptor(&s.q[0][e]), descriptor(&s.k[stage][0][e]), e > 0);
        wgmma_commit();
        wgmma_wait<0>();
        convert(weights, scores);
        wgmma_fence();
        for (int key = 0; key < KEYS; key += 16)
            wgmma(sums, &weights[key / 4], descriptor(&s.v[stage][0][key]));
        wgmma_commit();
        wgmma_wait<0>();
        if (threadIdx.x % 32 == 0)
            ptx::mbarrier_arrive(&s.empty[stage]);
    }
}

__global__ void __launch_bounds__(THREADS)
    attend(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
           const __grid_constant__ CUtensorMap v, float* o, int steps) {
    __shared__ Shared s;
    const int first = blockIdx.x * ROWS;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&s.q_full, 1);
        for (int i = 0; i < STAGES; ++i) {
            ptx::mbarrier_init(&s.full[i], 1);
            ptx::mbarrier_init(&s.empty[i], CONSUMER_THREADS / 32);
        }
    }
    __syncthreads();
    if (threadIdx.x >= CONSUMER_THREADS) {
        if (threadIdx.x == CONSUMER_THREADS)
            produce(s, q, k, v, first, steps);
        return;
    }
    float sums[4] = {};
    wait(&s.q_full, 0);
    consume(s, sums, steps);
    store(sums, o + size_t(first) * OUTPUTS);
}

CUresult make_map(CUtensorMap* map, const bf16* matrix, int rows, int columns, int box_rows) {
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, pitch[] = {sizeof(bf16) * columns};
    const cuuint32_t box[] = {HEAD, cuuint32_t(box_rows)}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<bf16*>(matrix), size, pitch, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `q`: `queries` rows of 64 elements. `k`: `keys` rows of 64. `v`: 8 rows of `keys` elements. `o`: `queries` rows
/// of 8. Both numbers are multiples of 64.
cudaError_t launch(const bf16* q, const bf16* k, const bf16* v, float* o, int queries, int keys, cudaStream_t stream) {
    CUtensorMap from_q, from_k, from_v;
    if (make_map(&from_q, q, queries, HEAD, ROWS) || make_map(&from_k, k, keys, HEAD, KEYS) ||
        make_map(&from_v, v, OUTPUTS, keys, OUTPUTS))
        return cudaErrorInvalidValue;
    attend<<<queries / ROWS, THREADS, 0, stream>>>(from_q, from_k, from_v, o, keys / KEYS);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
