// Drill 24.3: commit to both
// A thread of the leader has issued the products of both blocks. The threads of both wait for `done`, each for the one
// of its own block. tcgen05_commit_multicast(ptx::cta_group_2, barrier, mask) arrives on the barriers at the same
// shared address in all blocks whose rank is a bit of the mask.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int PAIR = 2, LEADER = 0;                 // blocks; the rank of the one whose thread multiplies
constexpr int ROWS = 256, COLUMNS = 64, DEPTH = 64; // of D; along k
constexpr int HALF_ROWS = ROWS / PAIR, HALF_COLUMNS = COLUMNS / PAIR;
constexpr int THREADS = 128; // of a block

// The same layout in both blocks.
struct Shared {
    alignas(1024) bf16 a[HALF_ROWS][DEPTH], b[HALF_COLUMNS][DEPTH];
    uint64_t full, done;
    uint32_t sums; // their address in Tensor Memory
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, parity))
        ;
}

__device__ int rank_in_pair() {
    return ptx::get_sreg_cluster_ctarank();
}

__device__ void meet_the_other_block() {
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
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

// Describes rows of 128 bytes in shared memory, swizzled by 128 bytes. The upper bits of an address name the block.
__device__ uint64_t descriptor(const bf16* first) {
    return (__cvta_generic_to_shared(first) & 0x3ffff) / 16 | uint64_t(8 * 128 / 16) << 32 | uint64_t(1) << 46 |
           uint64_t(2) << 61;
}

// Loads this block's halves of the operands. Called by one thread of each block.
__device__ void load(Shared& s, const CUtensorMap& a, const CUtensorMap& b) {
    const int rank = rank_in_pair();
    if (rank == LEADER)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &s.full,
                                       PAIR * (sizeof s.a + sizeof s.b));
    const int at_a[] = {0, rank * HALF_ROWS}, at_b[] = {0, rank * HALF_COLUMNS};
    load_for_pair(s.a, &a, at_a, of_leader(&s.full));
    load_for_pair(s.b, &b, at_b, of_leader(&s.full));
}

// Issues the products of both blocks. Called by one thread of the leader.
__device__ void multiply(Shared& s) {
    const uint32_t product = 1 << 4 | 1 << 7 | 1 << 10 | COLUMNS / 8 << 17 | ROWS / 16 << 24;
    for (int k = 0; k < DEPTH; k += 16)
        ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_2, s.sums, descriptor(&s.a[0][k]), descriptor(&s.b[0][k]),
                         product, k > 0);
}

// Initialises the barriers and allocates the columns. Called by all threads of both blocks.
__device__ void prepare(Shared& s) {
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&s.full, 1);
        ptx::mbarrier_init(&s.done, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    meet_the_other_block(); // it has begun, and its barriers are ready
    if (threadIdx.x / 32 == 0)
        ptx::tcgen05_alloc(ptx::cta_group_2, &s.sums, COLUMNS);
    meet_the_other_block();
}

// Stores this block's rows of D.
__device__ void store(const Shared& s, float* d) {
    uint32_t sums[COLUMNS];
    ptx::tcgen05_ld_32x32b(sums, s.sums + (threadIdx.x / 32 * 32 << 16));
    ptx::tcgen05_wait_ld();
    for (int i = 0; i < COLUMNS; ++i)
        d[(rank_in_pair() * HALF_ROWS + threadIdx.x) * COLUMNS + i] = __uint_as_float(sums[i]);
}

__global__ void __launch_bounds__(THREADS) __cluster_dims__(PAIR)
    gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* d) {
    __shared__ Shared s;
    prepare(s);
    if (threadIdx.x == 0)
        load(s, a, b);
    if (threadIdx.x == 0 && rank_in_pair() == LEADER) {
        wait(&s.full, 0);
        multiply(s);
        // TODO(1): let `done` complete in both blocks.
        // END TODO(1)
    }
    __syncwarp();
    wait(&s.done, 0);
    store(s, d);
    meet_the_other_block(); // the sums of both blocks have been loaded
    if (threadIdx.x / 32 == 0)
        ptx::tcgen05_dealloc(ptx::cta_group_2, s.sums, COLUMNS);
}

CUresult make_map(CUtensorMap* map, const bf16* matrix, int rows, int box_rows) {
    const cuuint64_t size[] = {DEPTH, cuuint64_t(rows)}, pitch[] = {sizeof(bf16) * DEPTH};
    const cuuint32_t box[] = {DEPTH, cuuint32_t(box_rows)}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<bf16*>(matrix), size, pitch, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `a`: 256 rows of 64 elements. `b`: 64 such rows. `d`: 256 rows of 64.
cudaError_t launch(const bf16* a, const bf16* b, float* d, cudaStream_t stream) {
    CUtensorMap map_a, map_b;
    if (make_map(&map_a, a, ROWS, HALF_ROWS) || make_map(&map_b, b, COLUMNS, HALF_COLUMNS))
        return cudaErrorInvalidValue;
    gemm<<<PAIR, THREADS, 0, stream>>>(map_a, map_b, d);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
