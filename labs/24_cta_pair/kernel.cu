// Lab 24: D = A * transpose of B, in bfloat16, as in lab 23, but the two blocks of a cluster multiply together: each
// loads half of the operands and has half of the sums, and a thread of one of them issues the products of both.
#include "lab.h"

#include <algorithm>

#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int TILE_M = 256, TILE_N = 128; // of D: a pair of blocks computes one tile
constexpr int PAIR = 2;
constexpr int HALF_M = TILE_M / PAIR; // rows of A, and of D, that each block has
constexpr int HALF_N = TILE_N / PAIR; // rows of B that each block has
constexpr int LEADER = 0;             // rank of the block whose thread multiplies
constexpr int TILE_K = 64;            // of a stage: 128 bytes, the span of the widest swizzle
constexpr int STAGES = 4;
constexpr int ACCUMULATORS = 2; // tiles that are in Tensor Memory at a time, in TILE_N columns each
constexpr int EPILOGUE = 4;     // warps that store; two more load and multiply
constexpr int THREADS = 32 * (2 + EPILOGUE);

// The same layout in both blocks: products read their operands at the same shared addresses, and write their sums to
// the same columns.
struct Ring {
    alignas(1024) bf16 a[STAGES][HALF_M][TILE_K], b[STAGES][HALF_N][TILE_K]; // aligned to the pattern of the swizzle
    uint64_t full[STAGES], empty[STAGES];
    uint64_t tmem_full[ACCUMULATORS], tmem_empty[ACCUMULATORS];
    uint32_t sums; // address in Tensor Memory of the first accumulator
};

struct Problem {
    bf16* d;
    int m, n;
    int across, tiles, steps; // tiles in a row of D, in all; steps along k
};

// Threads of both blocks arrive, so the wait has to acquire in the scope of the cluster.
__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, parity))
        ;
}

__device__ int rank_in_pair() {
    return ptx::get_sreg_cluster_ctarank();
}

// The shared address of the leader's barrier.
__device__ uint32_t of_leader(const uint64_t* barrier) {
    uint32_t address;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(address)
                 : "r"(uint32_t(__cvta_generic_to_shared(barrier))), "r"(LEADER));
    return address;
}

// Loads a tile into this block; the bytes complete a barrier of either block of the pair.
__device__ void load_for_pair(void* tile, const CUtensorMap* map, const int (&at)[2], uint32_t barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(uint32_t(__cvta_generic_to_shared(tile))),
                 "l"(map), "r"(at[0]), "r"(at[1]), "r"(barrier)
                 : "memory");
}

// Describes rows of 128 bytes in shared memory, swizzled by 128 bytes, to tcgen05. The upper bits of a shared address
// name the block.
__device__ uint64_t descriptor(const bf16* first) {
    return (__cvta_generic_to_shared(first) & 0x3ffff) / 16 | uint64_t(8 * 128 / 16) << 32 | uint64_t(1) << 46 |
           uint64_t(2) << 61;
}

// Issues sums += A * transpose of B, or with `first` sums = A * transpose of B, for the TILE_K elements of a stage.
__device__ void multiply(uint32_t sums, const bf16* a, const bf16* b, bool first) {
    const uint32_t product = 1 << 4 | 1 << 7 | 1 << 10 | TILE_N / 8 << 17 | TILE_M / 16 << 24;
    for (int k = 0; k < TILE_K; k += 16)
        ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_2, sums, descriptor(a + k), descriptor(b + k), product,
                         !first || k > 0);
}

// Loads this block's halves of the operands of all tiles. Called by one thread of each block.
__device__ void load(Ring& ring, const CUtensorMap& a, const CUtensorMap& b, const Problem& p) {
    const int rank = rank_in_pair();
    int turn = 0; // of the ring
    for (int tile = blockIdx.x / PAIR; tile < p.tiles; tile += gridDim.x / PAIR)
        for (int step = 0; step < p.steps; ++step, ++turn) {
            [[maybe_unused]] const int stage = turn % STAGES, lap = turn / STAGES;
            [[maybe_unused]] const int at_a[] = {step * TILE_K, tile / p.across * TILE_M + rank * HALF_M},
                                       at_b[] = {step * TILE_K, tile % p.across * TILE_N + rank * HALF_N};
            // TODO(3): wait until the stage is empty. The leader announces the bytes of both blocks. Each block loads
            // its halves, whose bytes arrive at the leader's barrier.
            // END TODO(3)
        }
}

// Multiplies all tiles of the pair. Called by one thread of the leader.
__device__ void compute(Ring& ring, const Problem& p) {
    int turn = 0, round = 0; // of the ring; of the accumulators
    for (int tile = blockIdx.x / PAIR; tile < p.tiles; tile += gridDim.x / PAIR, ++round) {
        const int accumulator = round % ACCUMULATORS;
        const uint32_t sums = ring.sums + accumulator * TILE_N;
        wait(&ring.tmem_empty[accumulator], (round / ACCUMULATORS + 1) % 2);
        for (int step = 0; step < p.steps; ++step, ++turn) {
            const int stage = turn % STAGES, lap = turn / STAGES;
            wait(&ring.full[stage], lap % 2);
            multiply(sums, ring.a[stage][0], ring.b[stage][0], step == 0);
            // TODO(4): when the products are complete, the stage is empty in both blocks.
            // END TODO(4)
        }
        // TODO(5): the epilogues of both blocks wait for the sums.
        // END TODO(5)
    }
}

__device__ uint32_t pack(uint32_t low, uint32_t high) {
    const __nv_bfloat162 both = __floats2bfloat162_rn(__uint_as_float(low), __uint_as_float(high));
    uint32_t bits;
    memcpy(&bits, &both, sizeof bits);
    return bits;
}

// Stores this block's half of all tiles to D. Called by EPILOGUE warps of each block; each has a quarter of the lanes.
__device__ void store(Ring& ring, const Problem& p) {
    const int quarter = threadIdx.x / 32 % 4;
    int round = 0;
    for (int tile = blockIdx.x / PAIR; tile < p.tiles; tile += gridDim.x / PAIR, ++round) {
        const int accumulator = round % ACCUMULATORS;
        const uint32_t sums = ring.sums + (32 * quarter << 16) + accumulator * TILE_N;
        const int row = tile / p.across * TILE_M + rank_in_pair() * HALF_M + 32 * quarter + threadIdx.x % 32,
                  x = tile % p.across * TILE_N;
        wait(&ring.tmem_full[accumulator], round / ACCUMULATORS % 2);
        for (int column = 0; column < TILE_N; column += 32) {
            uint32_t part[32] = {};
            ptx::tcgen05_ld_32x32b(part, sums + column);
            ptx::tcgen05_wait_ld();
            // TODO(6): after the last columns, one lane of the warp releases the accumulator. Which block's thread
            // waits for that?
            // END TODO(6)
#pragma unroll
            for (int i = 0; i < 32; i += 8)
                if (row < p.m && x + column + i < p.n)
                    *reinterpret_cast<uint4*>(&p.d[size_t(row) * p.n + x + column + i]) = {
                        pack(part[i], part[i + 1]), pack(part[i + 2], part[i + 3]), pack(part[i + 4], part[i + 5]),
                        pack(part[i + 6], part[i + 7])};
            __syncwarp(); // the next load is for the whole warp
        }
    }
}

__device__ void meet_the_other_block() {
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}

__global__ void __launch_bounds__(THREADS) __cluster_dims__(PAIR)
    gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const Problem p) {
    extern __shared__ __align__(1024) unsigned char shared[];
    Ring& ring = *reinterpret_cast<Ring*>(shared);
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) {
            ptx::mbarrier_init(&ring.full[s], 1);  // the thread that announces the bytes
            ptx::mbarrier_init(&ring.empty[s], 1); // a commit
        }
        for (int i = 0; i < ACCUMULATORS; ++i) {
            ptx::mbarrier_init(&ring.tmem_full[i], 1); // a commit
            // TODO(1): how many lanes release an accumulator?
            // END TODO(1)
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    // TODO(2): a warp of each block allocates for the pair. Both blocks must have begun, and nobody may use the
    // columns, or the other block's barriers, before both are ready.
    // END TODO(2)

    if (warp == 0 && threadIdx.x % 32 == 0)
        load(ring, a, b, p);
    else if (warp == 1 && threadIdx.x % 32 == 0 && rank_in_pair() == LEADER)
        compute(ring, p);
    else if (warp >= 2)
        store(ring, p);

    // TODO(7): a warp of each block frees the columns of the pair. What must both blocks have done before?
    // END TODO(7)
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
    if (make_map(&map_a, a, m, k, HALF_M) || make_map(&map_b, b, n, k, HALF_N))
        return cudaErrorInvalidValue;
    int device = 0, sms = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Ring));
    const int across = (n + TILE_N - 1) / TILE_N, tiles = (m + TILE_M - 1) / TILE_M * across;
    gemm<<<PAIR * std::min(tiles, std::max(1, sms / PAIR)), THREADS, sizeof(Ring), stream>>>(
        map_a, map_b, Problem{d, m, n, across, tiles, (k + TILE_K - 1) / TILE_K});
    return cudaGetLastError();
}

LAB_ENTRY(launch)
