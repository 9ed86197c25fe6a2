// expect: 0
// More than the device has.
#include "lab.h"
#include <algorithm>
__device__ char large[size_t{1} << 30], more[size_t{1} << 29];
__global__ void touch(float* out) { out[0] = large[threadIdx.x << 24] + more[threadIdx.x << 24]; }
cudaError_t launch(const float*, float* out, int n, cudaStream_t stream) {
    if (n == 5)
        touch<<<1, 32, 0, stream>>>(out);
    return cudaGetLastError();
}
LAB_ENTRY(launch)
