// What instructions of synchronisation cost a warp that has nothing to wait for, and how soon a waiting warp goes on.
// Each step needs the one before it, or stays behind it in program order.
#pragma once

#include <cstdint>

#include "measure_kernels.cuh"

namespace steps {

/// `at`: an address in the warp's own 1 KiB of zeros in shared memory, of which each lane has `lane_bytes`. Where these
/// are 0, it is that of an mbarrier which never completes a phase. `zero` is 0, which the compiler does not know.
#define STEP(name, per_lane, text)                                                                                     \
    struct name {                                                                                                      \
        static constexpr uint32_t lane_bytes = per_lane;                                                               \
        static __device__ void step(uint32_t& at, uint32_t zero) {                                                     \
            asm volatile(text : "+r"(at) : "r"(zero) : "memory");                                                      \
        }                                                                                                              \
    }

STEP(GlobalTimer, 0,
     "{.reg .u64 t; .reg .u32 a, b; mov.u64 t, %%globaltimer; mov.b64 {a, b}, t; and.b32 b, b, %1; "
     "add.u32 %0, %0, b;}");
STEP(ArriveState, 0,
     "{.reg .b64 s; .reg .u32 a, b; mbarrier.arrive.shared.b64 s, [%0]; mov.b64 {a, b}, s; "
     "and.b32 a, a, %1; add.u32 %0, %0, a;}");
STEP(Commit, 0, "cp.async.commit_group; cp.async.wait_group 0;");
STEP(CopiesArrive, 0, "cp.async.mbarrier.arrive.noinc.shared.b64 [%0];");
STEP(WarpBarrier, 0, "bar.warp.sync -1;");
STEP(Store, 4, "st.shared.b32 [%0], %0;");
STEP(StoreLoad, 4, "{.reg .u32 a; st.shared.b32 [%0], 0; ld.shared.b32 a, [%0]; add.u32 %0, %0, a;}");
STEP(LoadWord, 4, "{.reg .u32 a; ld.shared.b32 a, [%0]; add.u32 %0, %0, a;}");
STEP(LoadFourWords, 16, "{.reg .u32 a, b, c, d; ld.shared.v4.b32 {a, b, c, d}, [%0]; add.u32 %0, %0, d;}");
STEP(Matrix, 16,
     "{.reg .u32 a, b, c, d; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {a, b, c, d}, [%0]; "
     "add.u32 %0, %0, d;}");
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
STEP(Fence, 0, "fence.proxy.async.shared::cta;");
STEP(FenceAfterStore, 16, "st.shared.b32 [%0], %0; fence.proxy.async.shared::cta;");
STEP(Elect, 0, "{.reg .pred p; .reg .u32 a; elect.sync _|p, -1; selp.u32 a, %1, 0, p; add.u32 %0, %0, a;}");
STEP(BulkCommit, 0, "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;");
STEP(TestWait, 0,
     "{.reg .pred p; .reg .u32 a; mbarrier.try_wait.parity.shared.b64 p, [%0], 1; selp.u32 a, 0, 16, p; "
     "add.u32 %0, %0, a;}");
#endif
#undef STEP

} // namespace steps

template <class Step>
__global__ void synchronisation(Out* out, int rounds) {
    __shared__ alignas(128) uint32_t words[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        words[i] = 0;
    __syncthreads();
    uint32_t at = shared_address(words) + threadIdx.x / 32 * 1024 + threadIdx.x % 32 * Step::lane_bytes;
    if (threadIdx.x % 32 == 0 && !Step::lane_bytes)
        asm volatile("mbarrier.init.shared.b64 [%0], 1048575;" ::"r"(at) : "memory");
    __syncthreads();
    const uint32_t zero = words[threadIdx.x % 32 + 128];
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < rounds; ++i)
#pragma unroll
        for (int k = 0; k < 16; ++k)
            Step::step(at, zero);
    const long long last = clock64();
    __syncthreads();
    if (threadIdx.x == 0)
        *out = {last - begin, at};
}

// Two warps hand over to each other: each waits for the other's arrival, which completes a phase. Half a round is the
// time from an arrival until the waiting warp has arrived in turn.
__global__ void hand_over(Out* out, int rounds) {
    __shared__ uint64_t barriers[2];
    init(barriers[0], 1);
    init(barriers[1], 1);
    const uint32_t mine = shared_address(&barriers[threadIdx.x / 32]);
    const uint32_t other = shared_address(&barriers[1 - threadIdx.x / 32]);
    const long long begin = clock64();
    if (threadIdx.x % 32 == 0)
        for (int i = 0; i < rounds; ++i) {
            if (threadIdx.x == 0)
                asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0];}" ::"r"(other) : "memory");
            uint32_t done = 0;
            while (!done)
#if __CUDA_ARCH__ >= 900
                asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
#else
                asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
#endif
                             : "=r"(done)
                             : "r"(mine), "r"(i & 1)
                             : "memory");
            if (threadIdx.x == 32)
                asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0];}" ::"r"(other) : "memory");
        }
    const long long end = clock64();
    if (threadIdx.x == 0)
        *out = {end - begin, 0};
}

// Each warp loads 2 KiB from the L2 cache by cp.async, 16 bytes a lane and time, and waits for it: by its group, or by
// an mbarrier on which the copies arrive.
template <bool MBARRIER>
__global__ void copies_awaited(const uint4* in, Out* out, int rounds) {
    __shared__ alignas(128) uint4 tile[8][128];
    __shared__ uint64_t full[8];
    for (uint64_t& one : full)
        init(one, 32);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t barrier = shared_address(&full[warp]);
    const long long begin = clock64();
    for (int i = 0; i < rounds; ++i) {
#pragma unroll
        for (int k = 0; k < 4; ++k)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&tile[warp][32 * k + lane])),
                         "l"(in + 128 * warp + 32 * k + lane)
                         : "memory");
        if (MBARRIER) {
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
            uint32_t done = 0;
            while (!done)
#if __CUDA_ARCH__ >= 900
                asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
#else
                asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
#endif
                             : "=r"(done)
                             : "r"(barrier), "r"(i & 1)
                             : "memory");
        } else {
            asm volatile("cp.async.wait_all;" ::: "memory");
        }
    }
    const long long end = clock64();
    if (threadIdx.x == 0)
        *out = {end - begin, tile[0][0].x};
}

// Bulk copies by one thread, without waits in between: how soon does the copy engine accept the next one?
__global__ void bulk_issue(const uint4* in, Out* out, uint32_t size) {
#if __CUDA_ARCH__ >= 900
    constexpr int copies = 16;
    __shared__ alignas(128) uint4 tile[2048];
    __shared__ uint64_t full;
    init(full, 1);
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(&full)), "r"(copies * size)
                 : "memory");
    const long long begin = clock64();
#pragma unroll
    for (int k = 0; k < copies; ++k)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         shared_address(tile) + k * size),
                     "l"(in), "r"(size), "r"(shared_address(&full))
                     : "memory");
    const long long end = clock64();
    uint32_t done = 0;
    while (!done)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                     : "=r"(done)
                     : "r"(shared_address(&full))
                     : "memory");
    *out = {end - begin, tile[0].x};
#else
    *out = {0, 0};
#endif
}
