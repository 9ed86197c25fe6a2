// expect: out-of-bounds
// Nothing checks whether the input exists.
// Drill 01.2: the whole window
// out[i] = in[i - 1] + in[i] + in[i + 1], with zeros outside the input. The outputs of a tile depend on one more
// element on each side. Fill the whole window, with zeros where there is no input.
#include "lab.h"

constexpr int TILE = 128;        // one output for each thread
constexpr int WINDOW = TILE + 2; // inputs that the outputs depend on

__global__ void __launch_bounds__(TILE) sum_of_three(const int* in, int* out, int n) {
    __shared__ int window[WINDOW]; // window[w] is in[begin - 1 + w], or 0 if there is no such input
    const int t = threadIdx.x, begin = blockIdx.x * TILE;

    // TODO(1): fill all WINDOW elements. There are fewer threads than elements, so two threads fill two of them.
    for (int w = t; w < WINDOW; w += TILE)
        window[w] = in[begin - 1 + w];
    // END TODO(1)

    __syncthreads();
    if (begin + t < n)
        out[begin + t] = window[t] + window[t + 1] + window[t + 2];
}

/// `in` and `out` are arrays of n integers in device memory.
void launch(const int* in, int* out, int n, cudaStream_t stream) {
    sum_of_three<<<(n + TILE - 1) / TILE, TILE, 0, stream>>>(in, out, n);
}

LAB_ENTRY(launch)
