// D = A * transpose of B, 256 x 64 elements, by a pair of blocks: each loads half of A and of B, and has half of the sums.
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int rows = 256, columns = 64, depth = 64;

struct Shared {
    alignas(1024) bf16 a[rows / 2][depth], b[columns / 2][depth];
    uint64_t full, done;
    uint32_t sums; // their address in Tensor Memory
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, parity)) {
    }
}

// Describes rows of 128 bytes, swizzled by 128 bytes. The upper bits of an address name the block.
__device__ uint64_t descriptor(const bf16* first) {
    return (__cvta_generic_to_shared(first) & 0x3ffff) / 16 | uint64_t(1024 / 16) << 32 | uint64_t(1) << 46 | uint64_t(2) << 61;
}

// Loads a tile into this block; the bytes complete the barrier of the block of rank 0.
__device__ void load(void* tile, const CUtensorMap* map, const int (&at)[2], const uint64_t* barrier) {
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(there) : "r"(uint32_t(__cvta_generic_to_shared(barrier))));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [%0], [%1, {%2, %3}], [%4];" ::"r"(
                     uint32_t(__cvta_generic_to_shared(tile))),
                 "l"(map), "r"(at[0]), "r"(at[1]), "r"(there)
                 : "memory");
}

__device__ void meet() {
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}

__global__ void __cluster_dims__(2) multiply(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* d) {
    __shared__ Shared s;
    const uint32_t product = 1 << 4 | 1 << 7 | 1 << 10 | columns / 8 << 17 | rows / 16 << 24; // sums in f32, operands in bf16
    const int t = threadIdx.x, warp = t / 32, rank = ptx::get_sreg_cluster_ctarank();
    if (t == 0) {
        ptx::mbarrier_init(&s.full, 1);
        ptx::mbarrier_init(&s.done, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    meet();
    if (warp == 0)
        ptx::tcgen05_alloc(ptx::cta_group_2, &s.sums, columns);
    meet();
    if (t == 0) {
        const int at_a[] = {0, rank * rows / 2}, at_b[] = {0, rank * columns / 2};
#if BYTES == both
        if (rank == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &s.full, 2 * (sizeof s.a + sizeof s.b));
#else
        if (rank == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &s.full, sizeof s.a + sizeof s.b);
#endif
        load(s.a, &a, at_a, &s.full);
        load(s.b, &b, at_b, &s.full);
    }
    if (t == 0 && rank == 0) {
        wait(&s.full, 0);
        for (int k = 0; k < depth; k += 16)
            ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_2, s.sums, descriptor(&s.a[0][k]), descriptor(&s.b[0][k]), product, k > 0);
        ptx::tcgen05_commit_multicast(ptx::cta_group_2, &s.done, MASK);
    }
    __syncwarp();
    wait(&s.done, 0);
    uint32_t row[columns];
    ptx::tcgen05_ld_32x32b(row, s.sums + (32 * warp << 16));
    ptx::tcgen05_wait_ld();
    for (int i = 0; i < columns; ++i)
        d[(rank * rows / 2 + t) * columns + i] = __uint_as_float(row[i]);
#if END == pair
    meet();
#endif
    if (warp == 0)
        ptx::tcgen05_dealloc(ptx::cta_group_2, s.sums, columns);
}
