// Drill 21.1: one pass
// A warp computes the mean of a row's values, weighted by the softmax of the row's scores. It sees 32 scores at a time,
// each of them once. exp(score) may overflow, so the warp computes exp(score - largest) with the largest score so far.
// When a larger one comes, everything that has been added up with the old one is too large by a factor. Correct it.
#include "lab.h"

constexpr int WARP = 32;

__device__ float largest_of_warp(float x) {
    for (int bit = WARP / 2; bit; bit /= 2)
        x = fmaxf(x, __shfl_xor_sync(~0u, x, bit));
    return x;
}

__device__ float sum_of_warp(float x) {
    for (int bit = WARP / 2; bit; bit /= 2)
        x += __shfl_xor_sync(~0u, x, bit);
    return x;
}

__global__ void __launch_bounds__(WARP) mean(const float* scores, const float* values, float* means, int columns) {
    const size_t row = size_t(blockIdx.x) * columns;
    float largest = -INFINITY;  // of the warp
    float weights = 0, sum = 0; // of this lane: the sum of its weights, and of its weighted values
    for (int first = 0; first < columns; first += WARP) {
        const float score = scores[row + first + threadIdx.x], value = values[row + first + threadIdx.x];
        [[maybe_unused]] const float before = largest;
        largest = fmaxf(before, largest_of_warp(score));
        // TODO(1): correct both sums.
        // END TODO(1)
        const float weight = expf(score - largest);
        weights += weight;
        sum += weight * value;
    }
    weights = sum_of_warp(weights);
    sum = sum_of_warp(sum);
    if (threadIdx.x == 0)
        means[blockIdx.x] = sum / weights;
}

/// `scores`, `values`: `rows` rows of `columns` numbers, a multiple of 32. `means`: one number for each row.
cudaError_t launch(const float* scores, const float* values, float* means, int rows, int columns, cudaStream_t stream) {
    mean<<<rows, WARP, 0, stream>>>(scores, values, means, columns);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
