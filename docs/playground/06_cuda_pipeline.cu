// A pipeline of block scope. A thread reads what another thread has copied.
#include <cooperative_groups.h>
#include <cuda/pipeline>

constexpr int threads = 64, stages = STAGES;

__global__ void ring(const float4* in, float4* out, int tiles) {
    __shared__ float4 stage[stages][threads];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    const auto block = cooperative_groups::this_thread_block();
#if ROLES == unified
    constexpr int width = threads; // each thread produces and consumes
    auto pipeline = cuda::make_pipeline(block, &state);
#else
    constexpr int width = threads / 2; // the first warp produces, the second consumes
    auto pipeline = cuda::make_pipeline(block, &state, threads / 2);
#endif
    const int t = threadIdx.x % width;

    auto produce = [&](int k) {
        pipeline.producer_acquire();
        for (int i = t; i < threads; i += width)
            cuda::memcpy_async(&stage[k % stages][i], &in[k * threads + i], cuda::aligned_size_t<16>(16), pipeline);
        pipeline.producer_commit();
    };
    auto consume = [&](int k) {
#if WAIT == yes
        pipeline.consumer_wait();
#endif
        for (int i = t; i < threads; i += width) {
            const float4 x = stage[k % stages][(i + 1) % threads];
            out[k * threads + i] = make_float4(2 * x.x, 2 * x.y, 2 * x.z, 2 * x.w);
        }
#if RELEASE == yes
        pipeline.consumer_release();
#endif
    };

#if ROLES == unified
    for (int k = 0; k < tiles + stages - 1; ++k) {
        if (k < tiles)
            produce(k);
        if (k >= stages - 1)
            consume(k - stages + 1);
    }
#else
    for (int k = 0; k < tiles; ++k)
        if (threadIdx.x < width)
            produce(k);
        else
            consume(k);
#endif
}
