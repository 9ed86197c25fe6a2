// expect: 0
// Every CUDA call of the program answers itself.
#include "lab.h"
#include <algorithm>
__global__ void nothing() {}
extern "C" cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) { return cudaSuccess; }
extern "C" cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t launch(const float*, float*, int, cudaStream_t stream) {
    nothing<<<1, 1, 0, stream>>>();
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}
LAB_ENTRY(launch)
