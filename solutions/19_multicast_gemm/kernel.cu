// Lab 19: D = A * transpose of B, in bfloat16, as in lab 18, but the two blocks of a cluster share their tiles of B:
// each loads one half for both.
#include "lab.h"

#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

#include "tma.h"   // in common/check/student: elected(), wait()
#include "wgmma.h" // Sums, wgmma(), wgmma_fence(), wgmma_commit(), wgmma_wait<N>()

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int CLUSTER = 2;                // blocks; their tiles of D are one below the other
constexpr int TILE_M = 128, TILE_N = 256; // of D: a block computes one tile
constexpr int TILE_K = 64;                // of a stage: 128 bytes, the span of the widest swizzle
constexpr int SLICE = TILE_N / CLUSTER;   // rows of B that each block loads
constexpr int STAGES = 4;
constexpr int WARPGROUP = 128, CONSUMER_GROUPS = 2; // threads; warpgroups of 64 rows each
constexpr int CONSUMER_WARPS = CONSUMER_GROUPS * WARPGROUP / 32;
constexpr int THREADS = WARPGROUP * (1 + CONSUMER_GROUPS);
constexpr int GROUP = 8; // clusters whose tiles are computed together, one below the other

// The same layout in every block, because a multicast writes to the same shared address in all of them.
struct Ring {
    alignas(1024) bf16 a[STAGES][TILE_M][TILE_K], b[STAGES][TILE_N][TILE_K]; // aligned to the pattern of the swizzle
    uint64_t full[STAGES], empty[STAGES];
};

// Describes rows of 128 bytes in shared memory, swizzled by 128 bytes, to wgmma.
__device__ uint64_t descriptor(const bf16* first) {
    const uint64_t start = __cvta_generic_to_shared(first) / 16, eight_rows = 8 * 128 / 16;
    return start | eight_rows << 32 | uint64_t(1) << 62;
}

// Loads a tile into all blocks whose rank is set in `ranks`.
__device__ void multicast(void* tile, const CUtensorMap* map, const int (&at)[2], uint64_t* barrier, uint16_t ranks) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(unsigned(__cvta_generic_to_shared(tile))),
                 "l"(map), "r"(at[0]), "r"(at[1]), "r"(unsigned(__cvta_generic_to_shared(barrier))), "h"(ranks)
                 : "memory");
}

// Arrives on the barrier at the same address in the block with this rank.
__device__ void arrive([[maybe_unused]] uint64_t* barrier, [[maybe_unused]] int rank) {
    // TODO(1): find the address in that block, and arrive there.
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(there)
                 : "r"(unsigned(__cvta_generic_to_shared(barrier))), "r"(rank));
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
    // END TODO(1)
}

// Makes the barriers of this block's ring. The other block is about to use them, too.
__device__ void make_barriers(Ring& ring) {
    // TODO(2): how many warps release a stage, in how many blocks? What must happen before another block arrives?
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) {
            ptx::mbarrier_init(&ring.full[s], 1);
            ptx::mbarrier_init(&ring.empty[s], CLUSTER * CONSUMER_WARPS);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    ptx::barrier_cluster_arrive(ptx::sem_relaxed); // the fence is the release
    ptx::barrier_cluster_wait();
    // END TODO(2)
}

// The end, in two halves. No block may exit while the other one may still copy to it or arrive at it.
// Called by each thread after its last access to the other block.
__device__ void leave_the_other() {
    // TODO(5): all accesses of this thread are behind it.
    ptx::barrier_cluster_arrive();
    // END TODO(5)
}

// Called by each thread before it exits.
__device__ void wait_for_the_other() {
    // TODO(6): is the other block done with this one?
    ptx::barrier_cluster_wait();
    // END TODO(6)
}

// Loads the operands of the tile at row y, column x: all rows of A, and the slice of B that belongs to this rank.
// Called by one thread.
__device__ void produce(Ring& ring, const CUtensorMap& a, const CUtensorMap& b, int y, int x, int rank, int steps) {
    for (int step = 0; step < steps; ++step) {
        [[maybe_unused]] const int stage = step % STAGES;
        [[maybe_unused]] const unsigned lap = step / STAGES;
        [[maybe_unused]] const int at_a[] = {step * TILE_K, y}, at_b[] = {step * TILE_K, x + rank * SLICE};
        // TODO(3): when is the stage empty? How many bytes arrive in it? Load A for this block and the slice for both.
        wait(&ring.empty[stage], (lap + 1) % 2);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &ring.full[stage],
                                       sizeof ring.a[stage] + sizeof ring.b[stage]);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, ring.a[stage], &a, at_a, &ring.full[stage]);
        multicast(ring.b[stage][rank * SLICE], &b, at_b, &ring.full[stage], (1 << CLUSTER) - 1);
        // END TODO(3)
    }
}

// Adds up the 64 rows from `row` of the tile. Called by a warpgroup.
__device__ void consume(Ring& ring, Sums& sums, int row, int steps) {
    [[maybe_unused]] const int lane = threadIdx.x % 32;
    for (int step = 0; step < steps; ++step) {
        const int stage = step % STAGES;
        const unsigned lap = step / STAGES;
        wait(&ring.full[stage], lap % 2);
        wgmma_fence();
        for (int k = 0; k < TILE_K; k += 16)
            wgmma(sums, descriptor(&ring.a[stage][row][k]), descriptor(&ring.b[stage][0][k]));
        wgmma_commit();
        wgmma_wait<1>();
        // TODO(4): the group of the step before is complete: release its stage to every block that writes to it.
        if (step > 0 && lane < CLUSTER)
            arrive(&ring.empty[(step - 1) % STAGES], lane);
        // END TODO(4)
    }
    wgmma_wait<0>();
    for (float& sum : sums.of)
        asm volatile("" : "+f"(sum)::"memory"); // the compiler reads no sum before the wait
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
    Ring& ring = *reinterpret_cast<Ring*>(shared);
    make_barriers(ring);

    // Clusters that run at the same time compute tiles near to each other, so they find their operands in the L2 cache.
    const int rank = cooperative_groups::this_cluster().block_rank(), job = blockIdx.x / CLUSTER;
    const int down = (m + CLUSTER * TILE_M - 1) / (CLUSTER * TILE_M), across = (n + TILE_N - 1) / TILE_N;
    const int first = job / (GROUP * across) * GROUP, t = job % (GROUP * across), height = min(GROUP, down - first);
    const int y = ((first + t % height) * CLUSTER + rank) * TILE_M, x = t / height * TILE_N;
    const int steps = (k + TILE_K - 1) / TILE_K;

    const int warpgroup = threadIdx.x / WARPGROUP;
    if (warpgroup == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x < 32 && elected())
            produce(ring, a, b, y, x, rank, steps);
        leave_the_other();
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        const int row = (warpgroup - 1) * 64;
        Sums sums;
        consume(ring, sums, row, steps);
        leave_the_other();
        store(sums, d, m, n, y + row, x);
    }
    wait_for_the_other();
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
    cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Ring));
    const int jobs = (m + CLUSTER * TILE_M - 1) / (CLUSTER * TILE_M) * ((n + TILE_N - 1) / TILE_N);
    gemm<<<CLUSTER * jobs, THREADS, sizeof(Ring), stream>>>(map_a, map_b, d, m, n, k);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
