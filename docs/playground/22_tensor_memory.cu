// D = A * transpose of B, 128 x 32 elements. One thread loads with TMA and multiplies with tcgen05; the sums are in Tensor Memory.
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int rows = 128, columns = 32, depth = 64;

struct Shared {
    alignas(1024) bf16 a[rows][depth], b[columns][depth];
    uint64_t full, empty, done;
    uint32_t sums; // their address in Tensor Memory
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
    }
}

// Describes rows of 128 bytes, swizzled by 128 bytes.
__device__ uint64_t descriptor(const bf16* first) {
    return __cvta_generic_to_shared(first) / 16 | uint64_t(1024 / 16) << 32 | uint64_t(1) << 46 | uint64_t(2) << 61;
}

__global__ void multiply(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* d, int steps) {
    __shared__ Shared s;
    const uint32_t product = 1 << 4 | 1 << 7 | 1 << 10 | columns / 8 << 17 | rows / 16 << 24; // sums in f32, operands in bf16
    const int t = threadIdx.x, warp = t / 32;
    if (t == 0)
        for (uint64_t* barrier : {&s.full, &s.empty, &s.done})
            ptx::mbarrier_init(barrier, 1);
    if (warp == 0)
        ptx::tcgen05_alloc(ptx::cta_group_1, &s.sums, columns);
#if PUBLISH == on
    __syncthreads();
#endif
    if (t == 0) {
        for (int step = 0; step < steps; ++step) {
            const int32_t at[] = {depth * step, 0};
#if REFILL == waits
            if (step > 0)
                wait(&s.empty, (step - 1) % 2);
#endif
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full, sizeof s.a + sizeof s.b);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.a, &a, at, &s.full);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.b, &b, at, &s.full);
            wait(&s.full, step % 2);
            for (int k = 0; k < depth; k += 16)
#if FIRST == overwrites
                ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_1, s.sums, descriptor(&s.a[0][k]), descriptor(&s.b[0][k]), product, step + k > 0);
#else
                ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_1, s.sums, descriptor(&s.a[0][k]), descriptor(&s.b[0][k]), product, true);
#endif
            ptx::tcgen05_commit(ptx::cta_group_1, &s.empty);
        }
#if COMMIT == own
        ptx::tcgen05_commit(ptx::cta_group_1, &s.done);
#elif COMMIT == arrival
        ptx::mbarrier_arrive(&s.done);
#endif
    }
    __syncwarp();
#if COMMIT == neighbour
    if (t == 1)
        ptx::tcgen05_commit(ptx::cta_group_1, &s.done);
    __syncwarp();
#endif
    wait(&s.done, 0);
    uint32_t row[columns];
#if LANES == own
    ptx::tcgen05_ld_32x32b(row, s.sums + (32 * warp << 16));
#else
    ptx::tcgen05_ld_32x32b(row, s.sums + (96 - 32 * warp << 16));
#endif
    ptx::tcgen05_wait_ld();
    for (int i = 0; i < columns; ++i)
        d[t * columns + i] = __uint_as_float(row[i]);
#if FREE == together
    __syncthreads();
    if (warp == 0)
        ptx::tcgen05_dealloc(ptx::cta_group_1, s.sums, columns);
#elif FREE == early
    if (warp == 0)
        ptx::tcgen05_dealloc(ptx::cta_group_1, s.sums, columns);
#endif
}
