// D = A * transpose of B, 64 x 8 elements. A producer warp fills a ring with TMA, and one warpgroup multiplies with wgmma.
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int stages = 3, columns = 64, consumers = 128;

struct Ring {
    alignas(1024) bf16 a[stages][64][columns], b[stages][8][columns];
    uint64_t full[stages], empty[stages];
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
    }
}

// Describes rows of 128 bytes, swizzled by 128 bytes.
__device__ uint64_t descriptor(const bf16* first) {
    return __cvta_generic_to_shared(first) / 16 | uint64_t(1024 / 16) << 32 | uint64_t(1) << 62;
}

__device__ void wgmma(float (&sums)[4], uint64_t a, uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]) : "l"(a), "l"(b));
}

__global__ void multiply(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* d, int steps) {
    __shared__ Ring ring;
    const int t = threadIdx.x, lane = t % 32;
    if (t == 0)
        for (int s = 0; s < stages; ++s) {
            ptx::mbarrier_init(&ring.full[s], 1);
            ptx::mbarrier_init(&ring.empty[s], consumers / 32);
        }
    __syncthreads();
    if (t == consumers) {
        for (int step = 0; step < steps; ++step) {
            const int s = step % stages;
            const int32_t at[] = {columns * step, 0};
            wait(&ring.empty[s], step / stages % 2 ^ 1);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &ring.full[s],
                                           sizeof ring.a[s] + sizeof ring.b[s]);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, ring.a[s], &a, at, &ring.full[s]);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, ring.b[s], &b, at, &ring.full[s]);
        }
    } else if (t < consumers) {
        float sums[4] = {};
        for (int step = 0; step < steps; ++step) {
            const int s = step % stages;
            wait(&ring.full[s], step / stages % 2);
#if NEGATE == fenced
            for (int i = t; i < 8 * columns; i += consumers)
                ring.b[s][0][i] = -ring.b[s][0][i];
            ptx::fence_proxy_async(ptx::space_shared);
            asm volatile("bar.sync 1, %0;" ::"n"(consumers) : "memory");
#elif NEGATE == bare
            for (int i = t; i < 8 * columns; i += consumers)
                ring.b[s][0][i] = -ring.b[s][0][i];
            asm volatile("bar.sync 1, %0;" ::"n"(consumers) : "memory");
#endif
#if FENCE == on
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
            for (int k = 0; k < columns; k += 16)
                wgmma(sums, descriptor(&ring.a[s][0][k]), descriptor(&ring.b[s][0][k]));
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#if RELEASE == early
            if (lane == 0)
                ptx::mbarrier_arrive(&ring.empty[s]);
            asm volatile("wgmma.wait_group.sync.aligned PENDING;" ::: "memory");
#elif RELEASE == this
            asm volatile("wgmma.wait_group.sync.aligned PENDING;" ::: "memory");
            if (lane == 0)
                ptx::mbarrier_arrive(&ring.empty[s]);
#else
            asm volatile("wgmma.wait_group.sync.aligned PENDING;" ::: "memory");
            if (step > 0 && lane == 0)
                ptx::mbarrier_arrive(&ring.empty[(step - 1) % stages]);
#endif
        }
#if LAST == on
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
        for (int i = 0; i < 4; ++i)
#if NEGATE == no
            d[(t / 32 * 16 + lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = sums[i];
#else
            d[(t / 32 * 16 + lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = -sums[i];
#endif
    }
}
