// Lab 21 without overlap, for comparison: ./lab bench 21. The tiles and the instructions are those of the lab, but
// there is one stage: the block waits for its copies, multiplies, computes the softmax, multiplies, and only then loads
// again.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int HEAD = 128; // elements of a row of Q, K, V and O
constexpr int ROWS = 128; // of a tile: a block computes one tile of O, from one of Q and all that it needs of K and V
constexpr int PANEL = 64; // elements of a row that lie together: 128 bytes, the span of the widest swizzle
constexpr int WARPGROUP = 128, CONSUMER_GROUPS = 2; // threads; warpgroups of 64 rows each
constexpr int THREADS = WARPGROUP * CONSUMER_GROUPS;
constexpr float SCALE = 0.127517432f; // log2(e) / sqrt(HEAD): exp(x / sqrt(HEAD)) is exp2(x * SCALE)

struct Tile {
    bf16 panel[HEAD / PANEL][ROWS][PANEL];
};

struct Shared {
    alignas(1024) Tile q; // aligned to the pattern of the swizzle
    alignas(1024) Tile k, v;
    uint64_t full;
};

// What one thread holds of its warpgroup's 64 x 128 sums: of[4 * i] and of[4 * i + 1] are of its upper row, columns
// 8 * i + 2 * (lane % 4) and the next one; of[4 * i + 2] and of[4 * i + 3] are of its lower row, eight rows below.
struct Sums {
    float of[ROWS / 2];
};

// And of the 64 x 128 weights, in pairs of bf16: the operand A of wgmma, four registers for each 16 columns.
struct Weights {
    uint32_t of[ROWS / 4];
};

// Of the thread's two rows: the largest score so far, the thread's part of the sum of the weights so far, and the
// factor by which the latest scores have changed all earlier weights.
struct Rows {
    float largest[2] = {-INFINITY, -INFINITY}, sum[2] = {}, factor[2];
};

// Which keys a query sees: all of them, or, if `causal`, those up to its own place. The last query's place is that of
// the last key.
struct Problem {
    int queries, keys;
    bool causal;

    __device__ int visible(int query) const { return causal ? min(keys, query + 1 + keys - queries) : keys; }
    __device__ int steps(int first_query) const { return (visible(first_query + ROWS - 1) + ROWS - 1) / ROWS; }
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

__device__ float exp2_of(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ uint32_t pack(float low, float high) {
    const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
    uint32_t bits;
    memcpy(&bits, &both, sizeof bits);
    return bits;
}

__device__ void wgmma_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ void wgmma_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// The compiler reads and writes these registers neither before the place of this call nor after it.
__device__ void settle(Sums& sums) {
    for (float& sum : sums.of)
        asm volatile("" : "+f"(sum)::"memory");
}
__device__ void settle(Weights& weights) {
    for (uint32_t& pair : weights.of)
        asm volatile("" : "+r"(pair)::"memory");
}

// Leaves at most N groups in flight. `registers`: those of the groups that are complete then.
template <int N, class... Registers>
__device__ void wgmma_wait(Registers&... registers) {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
    (settle(registers), ...);
}

#define FOUR(i) "+f"(sums.of[i]), "+f"(sums.of[i + 1]), "+f"(sums.of[i + 2]), "+f"(sums.of[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)

// Issues sums = A * transpose of B, plus the sums if `add`. A has 64 rows and B has 128, both of 16 elements.
__device__ void wgmma(Sums& sums, uint64_t a, uint64_t b, bool add) {
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "%64, %65, add, 1, 1, 0, 0;\n}"
                 : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)
                 : "l"(a), "l"(b), "r"(int(add)));
}

// Issues sums = A * B, plus the sums if `add`. A is in registers, 64 rows of 16 elements; B has 16 rows of 128.
__device__ void wgmma(Sums& sums, const uint32_t* a, uint64_t b, bool add) {
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %69, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "{%64, %65, %66, %67}, %68, add, 1, 1, 1;\n}"
                 : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(int(add)));
}

// Describes rows of 128 bytes in shared memory, swizzled by 128 bytes, to wgmma: a matrix whose rows lie along k.
__device__ uint64_t along_k(const bf16* first) {
    return uint64_t(__cvta_generic_to_shared(first) / 16) | uint64_t(8 * 128 / 16) << 32 | uint64_t(1) << 62;
}

// The same for a matrix whose rows are the steps of k, such as V: of its 128 columns, the second half is in the next
// panel.
__device__ uint64_t across_k(const bf16* first) {
    return along_k(first) | uint64_t(sizeof(bf16) * ROWS * PANEL / 16) << 16;
}

// Loads a tile of a matrix. Called by one thread.
__device__ void load(Tile& tile, const CUtensorMap& map, int row, int head, uint64_t* full) {
    ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, full, sizeof tile);
    for (int panel = 0; panel < HEAD / PANEL; ++panel) {
        const int at[] = {panel * PANEL, row, head};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile.panel[panel], &map, at, full);
    }
}

// Issues scores = Q * transpose of K, for 64 rows of Q, as a group.
__device__ void multiply_keys(Sums& scores, const Tile& q, int row, const Tile& k) {
    wgmma_fence();
    for (int e = 0; e < HEAD; e += 16)
        wgmma(scores, along_k(&q.panel[e / PANEL][row][e % PANEL]), along_k(&k.panel[e / PANEL][0][e % PANEL]), e > 0);
    wgmma_commit();
}

// Issues o += weights * V as a group; `o` has no value before step 0.
__device__ void multiply_values(Sums& o, const Weights& weights, const Tile& v, int step) {
    wgmma_fence();
    for (int key = 0; key < ROWS; key += 16)
        wgmma(o, &weights.of[key / 4], across_k(v.panel[0][key]), step > 0 || key > 0);
    wgmma_commit();
}

// Scores of keys that a query does not see become -infinity. `row`, `key`: the first ones of the warpgroup's scores.
__device__ void mask(Sums& scores, const Problem& problem, int row, int key) {
    if (key + ROWS <= problem.visible(row))
        return;
    const int lane = threadIdx.x % 32, query = row + threadIdx.x / 32 % 4 * 16 + lane / 4;
    const int visible[] = {problem.visible(query), problem.visible(query + 8)};
#pragma unroll
    for (int i = 0; i < ROWS / 2; ++i)
        if (key + i / 4 * 8 + lane % 4 * 2 + i % 2 >= visible[i / 2 % 2])
            scores.of[i] = -INFINITY;
}

// The four lanes that share a row have its scores.
__device__ float largest_of_row(const Sums& scores, int half) {
    float largest = -INFINITY;
#pragma unroll
    for (int i = 2 * half; i < ROWS / 2; i += 4)
        largest = fmaxf(largest, fmaxf(scores.of[i], scores.of[i + 1]));
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, 1));
    return fmaxf(largest, __shfl_xor_sync(~0u, largest, 2));
}

// Makes weights of scores: exp2((score - largest score) * SCALE).
__device__ void softmax(Sums& scores, Rows& rows) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const float before = rows.largest[half], largest = fmaxf(before, largest_of_row(scores, half));
        rows.largest[half] = largest;
        rows.factor[half] = exp2_of((before - largest) * SCALE);
        rows.sum[half] *= rows.factor[half];
#pragma unroll
        for (int i = 2 * half; i < ROWS / 2; i += i % 2 ? 3 : 1) {
            scores.of[i] = exp2_of(scores.of[i] * SCALE - largest * SCALE);
            rows.sum[half] += scores.of[i];
        }
    }
}

// The place of a number among the registers of a sum is its place among those of A.
__device__ void convert(Weights& weights, const Sums& scores) {
#pragma unroll
    for (int i = 0; i < ROWS / 4; ++i) {
        weights.of[i] = pack(scores.of[2 * i], scores.of[2 * i + 1]);
    }
}

// Stores 64 rows of O, divided by the sums of the weights; the matrix has `queries` rows. A thread has two neighbouring
// columns of every eight. It exchanges half of them with its neighbour, so that four threads store 32 contiguous bytes.
__device__ void store(const Sums& o, const Rows& rows, bf16* matrix, int queries, int first) {
    const int lane = threadIdx.x % 32, row = first + threadIdx.x / 32 % 4 * 16 + lane / 4;
    const bool odd = lane % 2;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        float sum = rows.sum[half];
        sum += __shfl_xor_sync(~0u, sum, 1);
        sum += __shfl_xor_sync(~0u, sum, 2);
        const float inverse = 1 / sum;
        const int r = row + 8 * half;
#pragma unroll
        for (int i = 2 * half; i < HEAD / 2; i += 8) {
            const uint32_t left = pack(o.of[i] * inverse, o.of[i + 1] * inverse);
            const uint32_t right = pack(o.of[i + 4] * inverse, o.of[i + 5] * inverse);
            const uint32_t other = __shfl_xor_sync(~0u, odd ? left : right, 1);
            const int c = i / 8 * 16 + (odd ? 8 : 0) + lane % 4 / 2 * 4;
            if (r < queries)
                *reinterpret_cast<uint2*>(&matrix[size_t(r) * HEAD + c]) =
                    odd ? uint2{other, right} : uint2{left, other};
        }
    }
}

__global__ void __launch_bounds__(THREADS)
    attention(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k,
              const __grid_constant__ CUtensorMap v, bf16* o, Problem problem) {
    extern __shared__ __align__(1024) unsigned char shared[];
    Shared& s = *reinterpret_cast<Shared*>(shared);
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&s.full, 1);
    __syncthreads();

    // Under a causal mask, the tiles at the end see the most keys, so they begin first.
    const int tiles = (problem.queries + ROWS - 1) / ROWS, head = blockIdx.x / tiles, place = blockIdx.x % tiles;
    const int first = (problem.causal ? tiles - 1 - place : place) * ROWS, steps = problem.steps(first);
    const int row = threadIdx.x / WARPGROUP * 64;
    Sums scores, sums;
    Weights weights;
    Rows rows;
    for (int step = 0; step < steps; ++step) {
        if (threadIdx.x == 0) {
            if (step == 0)
                load(s.q, q, first, head, &s.full);
            load(s.k, k, step * ROWS, head, &s.full);
            load(s.v, v, step * ROWS, head, &s.full);
            ptx::mbarrier_arrive(&s.full);
        }
        wait(&s.full, step % 2);
        multiply_keys(scores, s.q, row, s.k);
        wgmma_wait<0>(scores);
        mask(scores, problem, first + row, step * ROWS);
        softmax(scores, rows);
        for (int i = 0; i < HEAD / 2 && step > 0; ++i)
            sums.of[i] *= rows.factor[i / 2 % 2];
        convert(weights, scores);
        multiply_values(sums, weights, s.v, step);
        wgmma_wait<0>(sums, weights);
        __syncthreads(); // both warpgroups have read the tiles
    }
    store(sums, rows, o + size_t(head) * problem.queries * HEAD, problem.queries, first + row);
}

// Makes a map of `heads` matrices for boxes of ROWS rows and PANEL columns of one of them.
CUresult make_map(CUtensorMap* map, const bf16* matrices, int rows, int heads) {
    const cuuint64_t size[] = {HEAD, cuuint64_t(rows), cuuint64_t(heads)};
    const cuuint64_t pitch[] = {sizeof(bf16) * HEAD, sizeof(bf16) * HEAD * cuuint64_t(rows)};
    const cuuint32_t box[] = {PANEL, ROWS, 1}, step[] = {1, 1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, const_cast<bf16*>(matrices), size, pitch,
                                  box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `q` and `o`: for each head, `queries` rows of HEAD elements. `k` and `v`: for each head, `keys` rows. All are in
/// device memory, 128-byte aligned and contiguous. There is at least one key; if `causal`, at least one for each query.
cudaError_t launch(const bf16* q, const bf16* k, const bf16* v, bf16* o, int heads, int queries, int keys, bool causal,
                   cudaStream_t stream) {
    if (heads == 0 || queries == 0)
        return cudaSuccess;
    CUtensorMap map_q, map_k, map_v;
    if (make_map(&map_q, q, queries, heads) || make_map(&map_k, k, keys, heads) || make_map(&map_v, v, keys, heads))
        return cudaErrorInvalidValue;
    cudaFuncSetAttribute(attention, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
    const int tiles = (queries + ROWS - 1) / ROWS;
    attention<<<tiles * heads, THREADS, sizeof(Shared), stream>>>(map_q, map_k, map_v, o, {queries, keys, causal});
    return cudaGetLastError();
}

LAB_ENTRY(launch)
