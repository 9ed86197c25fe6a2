// D = A * transpose of B, 128 x 32 elements in each tile. Warp 0 loads, warp 1 multiplies, and warps 2 to 5 store: two accumulators.
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int rows = 128, columns = 32, depth = 64, stages = 2, accumulators = 2;

struct Shared {
    alignas(1024) bf16 a[stages][rows][depth], b[stages][columns][depth];
    uint64_t full[stages], empty[stages], tmem_full[accumulators], tmem_empty[accumulators];
    uint32_t sums; // address in Tensor Memory of the first accumulator
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
    }
}

// Describes rows of 128 bytes, swizzled by 128 bytes.
__device__ uint64_t descriptor(const bf16* first) {
    return __cvta_generic_to_shared(first) / 16 | uint64_t(1024 / 16) << 32 | uint64_t(1) << 46 | uint64_t(2) << 61;
}

// Issues sums += A * transpose of B for a stage, or sums = with `first`.
__device__ void products(uint32_t sums, const bf16* a, const bf16* b, bool first) {
    const uint32_t product = 1 << 4 | 1 << 7 | 1 << 10 | columns / 8 << 17 | rows / 16 << 24; // sums in f32, operands in bf16
    for (int k = 0; k < depth; k += 16)
        ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_1, sums, descriptor(a + k), descriptor(b + k), product, !first || k > 0);
}

__global__ void multiply(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* d, int tiles, int steps) {
    __shared__ Shared s;
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    if (t == 0) {
        for (int i = 0; i < stages; ++i)
            ptx::mbarrier_init(&s.full[i], 1), ptx::mbarrier_init(&s.empty[i], 1);
        for (int i = 0; i < accumulators; ++i)
            ptx::mbarrier_init(&s.tmem_full[i], 1), ptx::mbarrier_init(&s.tmem_empty[i], 4);
    }
    if (warp == 1)
        ptx::tcgen05_alloc(ptx::cta_group_1, &s.sums, accumulators * columns);
    __syncthreads();
    if (t == 0) { // load
        for (int turn = 0; turn < tiles * steps; ++turn) {
            const int stage = turn % stages;
            const int32_t at_a[] = {turn % steps * depth, turn / steps * rows}, at_b[] = {turn % steps * depth, 0};
            wait(&s.empty[stage], (turn / stages + 1) % 2);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[stage], sizeof s.a[0] + sizeof s.b[0]);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.a[stage], &a, at_a, &s.full[stage]);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.b[stage], &b, at_b, &s.full[stage]);
        }
    } else if (t == 32) { // multiply
        for (int tile = 0, turn = 0; tile < tiles; ++tile) {
            const int i = tile % accumulators;
#if REFILL == waits
            wait(&s.tmem_empty[i], (tile / accumulators + 1) % 2);
#endif
            for (int step = 0; step < steps; ++step, ++turn) {
                const int stage = turn % stages;
                wait(&s.full[stage], turn / stages % 2);
#if STAGE == early
                ptx::tcgen05_commit(ptx::cta_group_1, &s.empty[stage]);
#endif
                products(s.sums + i * columns, s.a[stage][0], s.b[stage][0], step == 0);
#if STAGE == commit
                ptx::tcgen05_commit(ptx::cta_group_1, &s.empty[stage]);
#elif STAGE == arrival
                ptx::mbarrier_arrive(&s.empty[stage]);
#endif
            }
#if SUMS == commit
            ptx::tcgen05_commit(ptx::cta_group_1, &s.tmem_full[i]);
#else
            ptx::mbarrier_arrive(&s.tmem_full[i]);
#endif
        }
    } else if (warp >= 2) { // store
        const int first = warp % 4 * 32;
        for (int tile = 0; tile < tiles; ++tile) {
            const int i = tile % accumulators;
            uint32_t row[columns];
            wait(&s.tmem_full[i], tile / accumulators % 2);
#if RELEASE == early
            if (lane == 0)
                ptx::mbarrier_arrive(&s.tmem_empty[i]);
            __syncwarp();
#endif
            ptx::tcgen05_ld_32x32b(row, s.sums + (first << 16) + i * columns);
            ptx::tcgen05_wait_ld();
#if RELEASE == late
            if (lane == 0)
                ptx::mbarrier_arrive(&s.tmem_empty[i]);
#endif
            for (int column = 0; column < columns; ++column)
                d[(tile * rows + first + lane) * columns + column] = __uint_as_float(row[column]);
            __syncwarp();
        }
    }
    __syncthreads();
    if (warp == 1)
        ptx::tcgen05_dealloc(ptx::cta_group_1, s.sums, accumulators * columns);
}
