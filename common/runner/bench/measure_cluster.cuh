// Clusters of two blocks, and copies of boxes: each needs sm_90.
#pragma once

#include <cstdint>

#include <cuda.h>

#include "measure_kernels.cuh"

// Nothing but barriers of the cluster, which also order memory, as cluster.sync() does.
__global__ void __cluster_dims__(2) cluster_barriers(Out* out, int rounds) {
#if __CUDA_ARCH__ >= 900
    const long long begin = clock64();
    for (int i = 0; i < rounds; ++i)
        asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    const long long end = clock64();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *out = {end - begin, 0};
#endif
}

// As hand_over, between two blocks: each waits for its own mbarrier and arrives on the other's.
__global__ void __cluster_dims__(2) cluster_hand_over(Out* out, int rounds) {
#if __CUDA_ARCH__ >= 900
    __shared__ uint64_t barrier;
    init(barrier, 1);
    uint32_t rank, other;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(shared_address(&barrier)), "r"(1 - rank));
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    const auto arrive = [&] {
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(other) : "memory");
    };
    const long long begin = clock64();
    for (int i = 0; i < rounds; ++i) {
        if (rank == 0)
            arrive();
        uint32_t done = 0;
        while (!done)
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared.b64 p, [%1], %2; "
                         "selp.u32 %0, 1, 0, p;}"
                         : "=r"(done)
                         : "r"(shared_address(&barrier)), "r"(i & 1)
                         : "memory");
        if (rank == 1)
            arrive();
    }
    const long long end = clock64();
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    if (rank == 0)
        *out = {end - begin, 0};
#endif
}

constexpr int BOX_ROWS = 64, BOX_BYTES = 128;

// As bulk_copies: a box of 64 rows of 128 bytes, or as many bytes in a row, from the L2 cache. Each is waited for.
__global__ void box_copies(const __grid_constant__ CUtensorMap map, const uint4* in, Out* out, int rounds, bool box) {
#if __CUDA_ARCH__ >= 900
    __shared__ alignas(1024) uint4 tile[BOX_ROWS * BOX_BYTES / 16];
    __shared__ uint64_t full;
    init(full, 1);
    const uint32_t to = shared_address(tile), barrier = shared_address(&full);
    asm volatile("fence.proxy.async;" ::: "memory");
    const long long begin = clock64();
    for (int i = 0; i < rounds; ++i) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "n"(BOX_ROWS * BOX_BYTES)
                     : "memory");
        if (box)
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
                         "%2}], [%3];" ::"r"(to),
                         "l"(&map), "r"(0), "r"(barrier)
                         : "memory");
        else
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                "l"(in), "n"(BOX_ROWS * BOX_BYTES), "r"(barrier)
                : "memory");
        uint32_t done = 0;
        while (!done)
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                         : "=r"(done)
                         : "r"(barrier), "r"(i & 1)
                         : "memory");
    }
    const long long end = clock64();
    *out = {end - begin, tile[0].x};
#endif
}
