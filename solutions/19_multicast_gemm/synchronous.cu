// Lab 19 without overlap, for comparison: ./lab bench 19. The clusters, the tiles and the copies are those of the lab,
// but there is one stage: the cluster waits for its copies, multiplies, waits for the products, and only then loads the
// next.
#include "lab.h"

#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

#include "tma.h"   // in common/check/student: elected(), wait()
#include "wgmma.h" // Sums, wgmma(), wgmma_fence(), wgmma_commit(), wgmma_wait<N>()

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int CLUSTER = 2, TILE_M = 128, TILE_N = 256, TILE_K = 64;
constexpr int SLICE = TILE_N / CLUSTER;
constexpr int WARPGROUP = 128, CONSUMER_GROUPS = 2;
constexpr int THREADS = WARPGROUP * CONSUMER_GROUPS;
constexpr int GROUP = 8;

struct Stage {
    alignas(1024) bf16 a[TILE_M][TILE_K], b[TILE_N][TILE_K];
    uint64_t full;
};

// Describes rows of 128 bytes in shared memory, swizzled by 128 bytes, to wgmma.
__device__ uint64_t descriptor(const bf16* first) {
    return uint64_t(__cvta_generic_to_shared(first) / 16) | uint64_t(8 * 128 / 16) << 32 | uint64_t(1) << 62;
}

// Loads a tile into all blocks whose rank is set in `ranks`.
__device__ void multicast(void* tile, const CUtensorMap* map, const int (&at)[2], uint64_t* barrier, uint16_t ranks) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(unsigned(__cvta_generic_to_shared(tile))),
                 "l"(map), "r"(at[0]), "r"(at[1]), "r"(unsigned(__cvta_generic_to_shared(barrier))), "h"(ranks)
                 : "memory");
}

__device__ uint32_t pack(float low, float high) {
    const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
    uint32_t bits;
    memcpy(&bits, &both, sizeof bits);
    return bits;
}

// Stores a warpgroup's sums to D, which has m rows of n columns; they begin at row y, column x. A thread has two
// neighbouring columns of every eight. It exchanges half of them with its neighbour, so that four threads store 32
// contiguous bytes.
__device__ void store(const Sums& sums, bf16* d, int m, int n, int y, int x) {
    const int lane = threadIdx.x % 32, row = y + threadIdx.x / 32 % 4 * 16 + lane / 4;
    const bool odd = lane % 2;
#pragma unroll
    for (int i = 0; i < TILE_N / 2; i += 8) // sums of 16 columns
#pragma unroll
        for (int half = 0; half < 4; half += 2) { // the upper eight rows, then the lower
            const uint32_t left = pack(sums.of[i + half], sums.of[i + half + 1]);
            const uint32_t right = pack(sums.of[i + half + 4], sums.of[i + half + 5]);
            const uint32_t other = __shfl_xor_sync(~0u, odd ? left : right, 1);
            const int r = row + 4 * half, c = x + 2 * i + (odd ? 8 : 0) + lane % 4 / 2 * 4;
            if (r < m && c < n)
                *reinterpret_cast<uint2*>(&d[size_t(r) * n + c]) = odd ? uint2{other, right} : uint2{left, other};
        }
}

__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS)
    gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, bf16* d, int m, int n, int k) {
    extern __shared__ __align__(1024) unsigned char shared[];
    Stage& stage = *reinterpret_cast<Stage*>(shared);
    const auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&stage.full, 1);
    cluster.sync();

    // Clusters that run at the same time compute tiles near to each other, so they find their operands in the L2 cache.
    const int rank = cluster.block_rank(), job = blockIdx.x / CLUSTER;
    const int down = (m + CLUSTER * TILE_M - 1) / (CLUSTER * TILE_M), across = (n + TILE_N - 1) / TILE_N;
    const int first = job / (GROUP * across) * GROUP, t = job % (GROUP * across), height = min(GROUP, down - first);
    const int y = ((first + t % height) * CLUSTER + rank) * TILE_M, x = t / height * TILE_N;
    const int steps = (k + TILE_K - 1) / TILE_K;

    const int row = threadIdx.x / WARPGROUP * 64;
    Sums sums;
    for (int step = 0; step < steps; ++step) {
        if (threadIdx.x == 0) {
            const int at_a[] = {step * TILE_K, y}, at_b[] = {step * TILE_K, x + rank * SLICE};
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &stage.full,
                                           sizeof stage.a + sizeof stage.b);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, stage.a, &a, at_a, &stage.full);
            multicast(stage.b[rank * SLICE], &b, at_b, &stage.full, (1 << CLUSTER) - 1);
        }
        wait(&stage.full, step % 2);
        wgmma_fence();
        for (int i = 0; i < TILE_K; i += 16)
            wgmma(sums, descriptor(&stage.a[row][i]), descriptor(&stage.b[0][i]));
        wgmma_commit();
        wgmma_wait<0>();
        cluster.sync(); // both blocks have read the stage
    }
    store(sums, d, m, n, y + row, x);
}

// Makes a map of a matrix for boxes of `box_rows` rows and TILE_K columns.
CUresult make_map(CUtensorMap* map, const bf16* matrix, int rows, int columns, int box_rows) {
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, pitch[] = {sizeof(bf16) * cuuint64_t(columns)};
    const cuuint32_t box[] = {TILE_K, cuuint32_t(box_rows)}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<bf16*>(matrix), size, pitch, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `a`: m rows of k elements. `b`: n rows of k. `d`: m rows of n. All are in device memory, 128-byte aligned, with
/// contiguous rows. n and k are multiples of 8.
cudaError_t launch(const bf16* a, const bf16* b, bf16* d, int m, int n, int k, cudaStream_t stream) {
    if (m == 0 || n == 0)
        return cudaSuccess;
    if (k == 0) // a map cannot describe a matrix without columns
        return cudaMemsetAsync(d, 0, size_t(m) * n * sizeof(bf16), stream);
    CUtensorMap map_a, map_b;
    if (make_map(&map_a, a, m, k, TILE_M) || make_map(&map_b, b, n, k, SLICE))
        return cudaErrorInvalidValue;
    cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Stage));
    const int jobs = (m + CLUSTER * TILE_M - 1) / (CLUSTER * TILE_M) * ((n + TILE_N - 1) / TILE_N);
    gemm<<<CLUSTER * jobs, THREADS, sizeof(Stage), stream>>>(map_a, map_b, d, m, n, k);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
