// expect: 0
// Findings name their source line, and reports show it.
#include "lab.h"
__global__ void wrong(float* out) {
    __shared__ float tile[32];
#line 1 "@SECRETFILE@"
    out[threadIdx.x] = tile[31 - threadIdx.x];
}
cudaError_t launch(const float*, float* out, int n, cudaStream_t stream) {
    if (n >= 32)
        wrong<<<1, 32, 0, stream>>>(out);
    return cudaGetLastError();
}
LAB_ENTRY(launch)
