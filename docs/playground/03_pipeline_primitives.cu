// Double buffering: while a tile is read, the copy of the next one is in flight.
#include <cuda_pipeline.h>

constexpr int threads = 64;

__global__ void reverse(const float4* in, float4* out, int tiles) {
    __shared__ float4 buffer[2][threads];
    const int t = threadIdx.x;
    auto copy = [&](int k) {
        if (k < tiles)
            __pipeline_memcpy_async(&buffer[k % 2][t], &in[k * threads + t], 16);
#if COMMIT == yes
        __pipeline_commit();
#endif
    };

    copy(0);
    for (int k = 0; k < tiles; ++k) {
        copy(k + 1);
#if WAIT == all
        __pipeline_wait_prior(0);
#elif WAIT == one
        __pipeline_wait_prior(1);
#endif
#if FIRST == yes
        __syncthreads(); // the tile is complete
#endif
        out[k * threads + t] = buffer[k % 2][threads - 1 - t];
#if SECOND == yes
        __syncthreads(); // everybody has read it
#endif
    }
}
