// Two calls of each API on neighbouring lines, in loops that are unrolled four times. "ptx: X" marks a line that must
// get every instruction X of its kernel, in turn with the other lines so marked.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__global__ void primitives(const float4* __restrict__ in, const float4* __restrict__ in2, float* out) {
    __shared__ float4 a[4][128];
    __shared__ float4 b[4][128];
    float s = 0;
#pragma unroll 4
    for (int i = 0; i < 64; ++i) {
        __pipeline_memcpy_async(&a[i & 3][threadIdx.x], &in[i * 128 + threadIdx.x], 16);  // ptx: cp.async.cg
        __pipeline_memcpy_async(&b[i & 3][threadIdx.x], &in2[i * 128 + threadIdx.x], 16); // ptx: cp.async.cg
        __pipeline_commit();                                                              // ptx: cp.async.commit_group
        __pipeline_commit();                                                              // ptx: cp.async.commit_group
        __pipeline_wait_prior(0);                                                         // ptx: cp.async.wait_group
        __pipeline_wait_prior(0);                                                         // ptx: cp.async.wait_group
        __syncthreads();                                                                  // ptx: bar.sync
        __syncthreads();                                                                  // ptx: bar.sync
        s += a[i & 3][127 - threadIdx.x].x;                                               // ptx: ld.shared
        s += b[i & 3][127 - threadIdx.x].y;                                               // ptx: ld.shared
    }
    out[threadIdx.x] = s; // ptx: st.global
}

__device__ __forceinline__ void stage(float4* to, const float4* from) {
    __pipeline_memcpy_async(to, from, 16);
}

// Unrolled completely; the calls differ only one level further out than the line that is reported.
__global__ void helper(const float4* __restrict__ in, float* out) {
    __shared__ float4 a[128];
    __shared__ float4 b[128];
    for (int i = 0; i < 4; ++i) {
        stage(&a[threadIdx.x], &in[threadIdx.x + i * 128]); // outer: cp.async.cg
        stage(&b[threadIdx.x], &in[threadIdx.x + i * 128]); // outer: cp.async.cg
        __pipeline_commit();                                // ptx: cp.async.commit_group
        __pipeline_wait_prior(0);                           // ptx: cp.async.wait_group
        out[threadIdx.x] = a[threadIdx.x].x + b[threadIdx.x].y;
    }
}

__global__ void barrier_object(const float* in, const float* in2, float* out) {
    __shared__ alignas(16) float a[4][128];
    __shared__ alignas(16) float b[4][128];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0)
        init(&bar, blockDim.x); // ptx: mbarrier.init
    __syncthreads();            // ptx: bar.sync
    float s = 0;
#pragma unroll 4
    for (int i = 0; i < 64; ++i) {
        cuda::memcpy_async(&a[i & 3][threadIdx.x], &in[i * 128 + threadIdx.x], 4, bar);  // ptx: cp.async
        cuda::memcpy_async(&b[i & 3][threadIdx.x], &in2[i * 128 + threadIdx.x], 4, bar); // ptx: cp.async
        bar.arrive_and_wait();            // ptx: mbarrier.arrive mbarrier.t nanosleep
        s += a[i & 3][127 - threadIdx.x]; // ptx: ld.shared
        s += b[i & 3][127 - threadIdx.x]; // ptx: ld.shared
        bar.arrive_and_wait();            // ptx: mbarrier.arrive mbarrier.t nanosleep
    }
    out[threadIdx.x] = s; // ptx: st.global
}

__global__ void pipeline_object(const float4* __restrict__ in, const float4* __restrict__ in2, float* out) {
    __shared__ float4 a[4][128];
    __shared__ float4 b[4][128];
    auto pipe = cuda::make_pipeline();
    float s = 0;
#pragma unroll 4
    for (int i = 0; i < 64; ++i) {
        pipe.producer_acquire();
        cuda::memcpy_async(&a[i & 3][threadIdx.x], &in[i * 128 + threadIdx.x], 16, pipe);  // ptx: cp.async.cg
        cuda::memcpy_async(&b[i & 3][threadIdx.x], &in2[i * 128 + threadIdx.x], 16, pipe); // ptx: cp.async.cg
        pipe.producer_commit();                                                            // ptx: cp.async.commit_group
        pipe.consumer_wait();                                                              // ptx: cp.async.wait_group
        __syncthreads();                                                                   // ptx: bar.sync
        s += a[i & 3][127 - threadIdx.x].x;                                                // ptx: ld.shared
        s += b[i & 3][127 - threadIdx.x].y;                                                // ptx: ld.shared
        pipe.consumer_release();
    }
    out[threadIdx.x] = s; // ptx: st.global
}

__global__ void groups(const int4* __restrict__ in, const int4* __restrict__ in2, int* out) {
    __shared__ int4 a[4][128];
    __shared__ int4 b[4][128];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int s = 0;
#pragma unroll 4
    for (int i = 0; i < 64; ++i) {
        cg::memcpy_async(block, a[i & 3], in + i * 128, sizeof(int4) * 128);  // ptx: cp.async.cg cp.async.commit_group
        cg::memcpy_async(block, b[i & 3], in2 + i * 128, sizeof(int4) * 128); // ptx: cp.async.cg cp.async.commit_group
        cg::wait(block);                                                      // ptx: cp.async.wait_group barrier.sync
        s += a[i & 3][127 - threadIdx.x].x;                                   // ptx: ld.shared
        s += b[i & 3][127 - threadIdx.x].y;                                   // ptx: ld.shared
        block.sync();                                                         // ptx: barrier.sync
        block.sync();                                                         // ptx: barrier.sync
        s += warp.shfl_xor(s, 1);                                             // ptx: shfl.sync
        s += warp.shfl_xor(s, 2);                                             // ptx: shfl.sync
        warp.sync();                                                          // ptx: bar.warp.sync
        warp.sync();                                                          // ptx: bar.warp.sync
    }
    out[threadIdx.x] = s; // ptx: st.global
}

#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
__global__ void bulk(const float* __restrict__ in, const float* __restrict__ in2, float* out) {
    __shared__ alignas(128) float a[4][128];
    __shared__ alignas(128) float b[4][128];
    __shared__ alignas(8) uint64_t bar[2];
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar[0], 1); // ptx: mbarrier.init
        ptx::mbarrier_init(&bar[1], 1); // ptx: mbarrier.init
    }
    __syncthreads();
    float s = 0;
#pragma unroll 4
    for (int i = 0; i < 64; ++i) {
        if (threadIdx.x == 0) {
            // clang-format off
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, a[i & 3], in + i * 128, 512, &bar[0]);    // ptx: cp.async.bulk.shared
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, b[i & 3], in2 + i * 128, 512, &bar[1]);   // ptx: cp.async.bulk.shared
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar[0], 512); // ptx: mbarrier.arrive
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar[1], 512); // ptx: mbarrier.arrive
            // clang-format on
        }
        while (!ptx::mbarrier_try_wait_parity(&bar[0], i & 1)) { // ptx: mbarrier.try_wait
        }
        while (!ptx::mbarrier_try_wait_parity(&bar[1], i & 1)) { // ptx: mbarrier.try_wait
        }
        s += a[i & 3][127 - threadIdx.x];          // ptx: ld.shared
        s += b[i & 3][127 - threadIdx.x];          // ptx: ld.shared
        ptx::fence_proxy_async(ptx::space_shared); // ptx: fence.proxy.async
        ptx::fence_proxy_async(ptx::space_shared); // ptx: fence.proxy.async
        __syncthreads();
        if (threadIdx.x == 0) {
            // clang-format off
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + i * 256, a[i & 3], 512);       // ptx: cp.async.bulk.global
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + i * 256 + 128, b[i & 3], 512); // ptx: cp.async.bulk.global
            // clang-format on
            ptx::cp_async_bulk_commit_group();                   // ptx: cp.async.bulk.commit_group
            ptx::cp_async_bulk_commit_group();                   // ptx: cp.async.bulk.commit_group
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); // ptx: cp.async.bulk.wait_group
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); // ptx: cp.async.bulk.wait_group
        }
        __syncthreads();
    }
    out[threadIdx.x] = s; // ptx: st.global
}
#endif
