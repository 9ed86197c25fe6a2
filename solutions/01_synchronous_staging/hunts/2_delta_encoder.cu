// Hunt 01.h2: delta encoder
// A channel is encoded as the differences between neighbouring samples. One block encodes one channel, tile by tile.
// Two windows take turns, so that one barrier for each tile is enough. The first sample of a tile used to be stored as
// it is; since it refers to the last sample of the tile before, a few channels cannot be decoded.
#include "lab.h"

constexpr int TILE = 256; // samples, one thread for each

__device__ int load_or_zero(const int* samples, int i, int n) {
    return i < n ? samples[i] : 0;
}

__global__ void __launch_bounds__(TILE) encode(const int* samples, int* deltas, int n) {
    __shared__ int windows[2][TILE];
    const int t = threadIdx.x;
    samples += static_cast<size_t>(blockIdx.x) * n;
    deltas += static_cast<size_t>(blockIdx.x) * n;

    int tile = 0;
    for (int begin = 0; begin < n; begin += TILE, ++tile) {
        int* const window = windows[tile % 2];
        const int* const before = windows[(tile + 1) % 2]; // the tile before this one

        window[t] = load_or_zero(samples, begin + t, n);
        __syncthreads(); // the tile is staged

        int left = 0;
        if (t > 0)
            left = window[t - 1];
        else if (tile > 0)
            left = before[TILE - 1];
        if (begin + t < n)
            deltas[begin + t] = window[t] - left;
        __syncthreads(); // the tile before has been read: the next round overwrites it
    }
}

/// `samples` and `deltas`: n integers for each channel, in device memory.
cudaError_t launch(const int* samples, int* deltas, int n, int channels, cudaStream_t stream) {
    if (n > 0 && channels > 0)
        encode<<<channels, TILE, 0, stream>>>(samples, deltas, n);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
