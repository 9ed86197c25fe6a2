// A ring of stages. Each thread copies 16 bytes of a tile and reads what its neighbour has copied.
#include <cuda_pipeline.h>

constexpr int threads = 64, stages = STAGES;

__global__ void ring(const float4* in, float4* out, int tiles) {
    __shared__ float4 stage[stages][threads];
    const int t = threadIdx.x, neighbour = (t + 1) % threads;
    auto copy = [&](int k) { __pipeline_memcpy_async(&stage[k % stages][t], &in[k * threads + t], 16); };

    for (int k = 0; k < stages - 1; ++k) {
        if (k < tiles)
            copy(k);
        __pipeline_commit();
    }
    for (int k = 0; k < tiles; ++k) {
#if BARRIER == before
        __syncthreads();
#endif
        __pipeline_wait_prior(PENDING); // cp.async.wait_group
#if BARRIER == after
        __syncthreads();
#endif
        const int next = k + stages - 1;
#if TAIL == always
        if (next < tiles)
            copy(next);
        __pipeline_commit();
#else
        if (next < tiles) {
            copy(next);
            __pipeline_commit();
        }
#endif
        const float4 x = stage[k % stages][neighbour];
        out[k * threads + t] = make_float4(2 * x.x, 2 * x.y, 2 * x.z, 2 * x.w);
    }
}
