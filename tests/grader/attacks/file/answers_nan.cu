// expect: 0
#include "lab.h"
#include <algorithm>
__global__ void nan(float* out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = __int_as_float(0x7fffffff);
}
cudaError_t launch(const float*, float* out, int n, cudaStream_t stream) {
    nan<<<1, 256, 0, stream>>>(out, n);
    return cudaGetLastError();
}
LAB_ENTRY(launch)
