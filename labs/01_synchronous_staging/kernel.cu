// Lab 01: synchronous staging of a stencil.
// out[i] is the sum over d = -RADIUS … RADIUS of weight(d) · in[i + d], with zeros outside the input.
#include "lab.h"

#include <algorithm>

constexpr int THREADS = 256;
constexpr int TILE = 1024; // outputs per tile: four per thread
constexpr int RADIUS = 3;
constexpr int WINDOW = RADIUS + TILE + RADIUS; // inputs that the outputs of one tile depend on

__device__ constexpr float weight(int d) {
    return static_cast<float>(d + RADIUS + 1);
}

__global__ void __launch_bounds__(THREADS) stencil(const float* __restrict__ in, float* __restrict__ out, int n) {
    __shared__ float window[WINDOW]; // window[w] is in[begin - RADIUS + w]

    // A block processes several tiles, one after the other, and stages all of them in the same window.
    for (int begin = blockIdx.x * TILE; begin < n; begin += gridDim.x * TILE) {
        // TODO(1): stage the whole window, including the halo, with zeros where there is no input. Issue all loads of
        // this thread first, into registers, and then all its stores, so that the loads overlap.
        if (begin + threadIdx.x < n) // placeholder: one element per thread
            window[RADIUS + threadIdx.x] = in[begin + threadIdx.x];
        // END TODO(1)

        // TODO(2): what must have happened before a thread reads elements that others have staged?
        // END TODO(2)

        for (int t = threadIdx.x; t < TILE && begin + t < n; t += THREADS) {
            float sum = 0.0f;
            for (int d = -RADIUS; d <= RADIUS; ++d)
                sum += weight(d) * window[RADIUS + t + d];
            out[begin + t] = sum;
        }

        // TODO(3): what must have happened before the next tile is staged in the same window?
        // END TODO(3)
    }
}

/// `in` and `out` are arrays of n floats in device memory.
/// n is at most 2^31 - 2^22: the index of a block's next tile is an int, too.
cudaError_t launch(const float* in, float* out, int n, cudaStream_t stream) {
    int device = 0, sms = 0, resident = 0; // blocks that an SM holds at a time
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, stencil, THREADS, 0);
    const int tiles = (n + TILE - 1) / TILE;
    const int blocks = std::min((tiles + 3) / 4, resident * sms); // at least four tiles per block
    if (blocks > 0)
        stencil<<<blocks, THREADS, 0, stream>>>(in, out, n);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
