// Each block copies 256 floats with cp.async, as far as there are any, and each thread adds up four of them.
#include <cuda_pipeline.h>

constexpr int threads = 64, tile_size = 256, each = BYTES / 4;

__global__ void sums(const float* in, float* out, int count) {
    __shared__ alignas(16) float tile[tile_size];
    const int t = threadIdx.x, first = blockIdx.x * tile_size;
    for (int i = each * t; i < tile_size; i += each * threads) {
        const int there = max(0, min(each, count - (first + i)));
#if TAIL == fill
        __pipeline_memcpy_async(&tile[i], &in[first + i], BYTES, BYTES - 4 * there); // the rest becomes 0
#elif TAIL == skip
        if (there == each)
            __pipeline_memcpy_async(&tile[i], &in[first + i], BYTES);
#else
        __pipeline_memcpy_async(&tile[i], &in[first + i], BYTES);
#endif
    }
    __pipeline_commit();
#if WAIT == yes
    __pipeline_wait_prior(0);
#endif
#if BARRIER == yes
    __syncthreads();
#endif
    float sum = 0;
    for (int i = 0; i < 4; ++i)
        sum += tile[4 * t + i];
    out[blockIdx.x * threads + t] = sum;
}
