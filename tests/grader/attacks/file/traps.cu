// expect: 0
// The device stops itself, in the midst of everything.
#include "lab.h"
#include <algorithm>
__global__ void traps(float* out) {
    out[threadIdx.x] = 1;
    if (threadIdx.x == 3)
        __trap();
}
cudaError_t launch(const float*, float* out, int n, cudaStream_t stream) {
    traps<<<1, n < 32 ? 1 : 32, 0, stream>>>(out);
    cudaGetLastError();
    cudaStreamSynchronize(stream);
    cudaDeviceReset();
    return cudaSuccess;
}
LAB_ENTRY(launch)
