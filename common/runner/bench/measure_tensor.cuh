// Kernels of measure_model.cu about tensor cores, the L2 cache and bulk stores. Each needs sm_90 or sm_90a, and
// measures nothing elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "measure_kernels.cuh"

// --- tensor cores ----------------------------------------------------------------------------------------------------

#define FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)

// Products of 64 x 256 x 16 elements in bf16, out of tiles in shared memory, by one warpgroup or two: `group` of them,
// then a wait for all, and so on.
__global__ void __launch_bounds__(256) wgmma_groups(Out* out, int rounds, int group) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ __align__(1024) unsigned char operands[]; // A: 64 rows of 128 bytes; B: 256
    for (int i = threadIdx.x; i < (64 + 256) * 128 / 4; i += blockDim.x)
        reinterpret_cast<uint32_t*>(operands)[i] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    const uint64_t form = uint64_t(8 * 128 / 16) << 32 | uint64_t(1) << 62;
    const uint64_t a = form | shared_address(operands) / 16, b = form | (shared_address(operands) + 64 * 128) / 16;
    float d[128];
    for (float& one : d)
        one = 0;
    const long long begin = clock64();
    for (int i = 0; i < rounds; ++i) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int k = 0; k < group; ++k)
            asm volatile(
                "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
                "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
                "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
                "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
                "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
                "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
                "%128, %129, 1, 1, 1, 0, 0;"
                : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48), SIXTEEN(64), SIXTEEN(80), SIXTEEN(96), SIXTEEN(112)
                : "l"(a), "l"(b));
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    for (float& one : d)
        asm volatile("" : "+f"(one)::"memory");
    __syncthreads();
    const long long end = clock64();
    float sum = 0;
    for (const float one : d)
        sum += one;
    if (threadIdx.x == 0)
        *out = {end - begin, uint32_t(sum)};
#else
    *out = {0, 0};
#endif
}

#undef SIXTEEN
#undef FOUR

// Products of 16 x 8 x 16 elements in bf16 out of registers: independent sums for each warp.
template <int SUMS>
__global__ void mma_products(Out* out, int rounds) {
#if __CUDA_ARCH__ >= 800
    float d[SUMS][4] = {};
    uint32_t a[4] = {}, b[2] = {};
    __syncthreads();
    const long long begin = clock64();
    for (int i = 0; i < rounds; ++i)
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float(&sum)[4] = d[k % SUMS];
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                         "{%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        }
    float total = 0;
    for (const auto& sum : d)
        total += sum[0] + sum[1] + sum[2] + sum[3];
    __syncthreads();
    const long long end = clock64();
    if (threadIdx.x == 0)
        *out = {end - begin, uint32_t(total)};
#else
    *out = {0, 0};
#endif
}

// --- the L2 cache ----------------------------------------------------------------------------------------------------

// Every block loads the same `bytes` by bulk copies of `size` bytes, four in flight: how much does the L2 cache
// deliver to each SM while all want something?
__global__ void bulk_from_cache(const unsigned char* in, size_t bytes, uint32_t size, Out* out, int rounds) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(1024) unsigned char operands[];
    __shared__ uint64_t full[4];
    for (uint64_t& one : full)
        init(one, 1);
    if (threadIdx.x == 0) {
        const auto issue = [&](int i) {
            const uint32_t barrier = shared_address(&full[i % 4]);
            const size_t at = (size_t(i) + 7 * blockIdx.x) * size % bytes;
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(size) : "memory");
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                    shared_address(operands) + i % 4 * size),
                "l"(in + at), "r"(size), "r"(barrier)
                : "memory");
        };
        asm volatile("fence.proxy.async;" ::: "memory");
        for (int i = 0; i < 4; ++i)
            issue(i);
        const long long begin = clock64();
        for (int i = 0; i < rounds; ++i) {
            uint32_t done = 0;
            while (!done)
                asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                             : "=r"(done)
                             : "r"(shared_address(&full[i % 4])), "r"(i / 4 & 1)
                             : "memory");
            if (i + 4 < rounds)
                issue(i + 4);
        }
        if (blockIdx.x == 0)
            *out = {clock64() - begin, operands[0]};
    }
#else
    *out = {0, 0};
#endif
}

// --- bulk stores -----------------------------------------------------------------------------------------------------

__device__ void store_bulk(void* to, uint32_t from, uint32_t size, bool read) {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(size)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    if (read)
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    else
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
}

// Bulk stores by the first block, each waited for, while all others copy tiles of 8 KiB (if there are any): how long
// does a store take until it is complete, or has read its source?
__global__ void __launch_bounds__(256, 8) stores_loaded(const uint4* in, uint4* to, uint4* own, size_t tiles,
                                                        Load* load, Out* result, int steps, uint32_t size, bool read) {
    __shared__ alignas(128) uint4 tile[256];
    tile[threadIdx.x] = {};
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            long long begin = 0;
            for (int i = -steps / 4; i < steps; ++i) {
                if (i == 0) // by now the others are busy
                    begin = clock64();
                store_bulk(own + size_t(i + steps) * size / sizeof(uint4), shared_address(tile), size, read);
            }
            *result = {clock64() - begin, 0};
            store_bulk(own, shared_address(tile), size, false); // all have to be complete before the block exits
            atomicExch(&load->stop, 1u);
        }
        return;
    }
    copy_tiles(in, to, tiles, load);
}
