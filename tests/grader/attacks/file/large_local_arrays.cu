// expect: 0
// Half a megabyte for each thread.
#include "lab.h"
#include <algorithm>
__global__ void greedy(float* out, int n) {
    volatile char large[500'000];
    for (int i = 0; i < 500'000; i += 4096)
        large[i] = n;
    out[0] = large[n & 4095];
}
cudaError_t launch(const float*, float* out, int n, cudaStream_t stream) {
    greedy<<<4096, 1024, 0, stream>>>(out, n);
    return cudaGetLastError();
}
LAB_ENTRY(launch)
