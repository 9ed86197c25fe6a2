// Drill 21.2: the same registers
// A warpgroup multiplies twice: scores = Q * transpose of K, and then O = scores * transpose of V, whose 8 rows have a
// number for each of the 64 keys. The scores never leave the registers: as sums of the first product, a thread's
// registers 4 i and 4 i + 1 are of columns 8 i + 2 (lane % 4) and the next one, in its upper row; registers 4 i + 2 and
// 4 i + 3 are of the same columns in its lower row. As operand A of the second product, which takes 16 columns, a
// register holds two neighbouring columns: the upper row, the lower row, and both again eight columns further. Convert
// the scores.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int ROWS = 64, KEYS = 64, OUTPUTS = 8;
constexpr int HEAD = 64; // elements of a row: 128 bytes
constexpr int THREADS = 128;

struct Shared {
    alignas(1024) bf16 q[ROWS][HEAD], k[KEYS][HEAD], v[OUTPUTS][KEYS];
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

__global__ void __launch_bounds__(THREADS)
    attend(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
           const __grid_constant__ CUtensorMap v, float* o) {
    __shared__ Shared s;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&s.full, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full,
                                       sizeof s.q + sizeof s.k + sizeof s.v);
        load(s.q, q, 0, 0, &s.full);
        load(s.k, k, 0, 0, &s.full);
        load(s.v, v, 0, 0, &s.full);
    }
    __syncthreads();
    wait(&s.full, 0);
    float scores[KEYS / 2], sums[4] = {};
    wgmma_fence();
    for (int e = 0; e < HEAD; e += 16)
        wgmma(scores, descriptor(&s.q[0][e]), descriptor(&s.k[0][e]), e > 0);
    wgmma_commit();
    wgmma_wait<0>();
    for (float& score : scores)
        asm volatile("" : "+f"(score)::"memory"); // the compiler reads none before the wait
    uint32_t weights[KEYS / 4] = {};
#pragma unroll
    for (int i = 0; i < KEYS / 4; ++i) {
        // TODO(1): four registers for each 16 columns.
        // END TODO(1)
    }
    // TODO(2): these registers belong to the products that follow.
    // END TODO(2)
    for (int key = 0; key < KEYS; key += 16)
        wgmma(sums, &weights[key / 4], descriptor(&s.v[0][key]));
    wgmma_commit();
    wgmma_wait<0>();
    for (float& sum : sums)
        asm volatile("" : "+f"(sum)::"memory");
    store(sums, o);
}

CUresult make_map(CUtensorMap* map, const bf16* matrix, int rows, int columns, int box_rows) {
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, pitch[] = {sizeof(bf16) * columns};
    const cuuint32_t box[] = {HEAD, cuuint32_t(box_rows)}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<bf16*>(matrix), size, pitch, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `q`, `k`: 64 rows of 64 elements. `v`: 8 rows of 64. `o`: 64 rows of 8.
cudaError_t launch(const bf16* q, const bf16* k, const bf16* v, float* o, cudaStream_t stream) {
    CUtensorMap from_q, from_k, from_v;
    if (make_map(&from_q, q, ROWS, HEAD, ROWS) || make_map(&from_k, k, KEYS, HEAD, KEYS) ||
        make_map(&from_v, v, OUTPUTS, KEYS, OUTPUTS))
        return cudaErrorInvalidValue;
    attend<<<1, THREADS, 0, stream>>>(from_q, from_k, from_v, o);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
