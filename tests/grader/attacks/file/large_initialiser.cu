// expect: compile
// Four bytes of source, gigabytes in a compiler.
#include "lab.h"
__device__ int large[100'000'000] = {1};
__global__ void touch(float* out) { out[0] = large[threadIdx.x]; }
cudaError_t launch(const float*, float* out, int, cudaStream_t stream) {
    touch<<<1, 32, 0, stream>>>(out);
    return cudaGetLastError();
}
LAB_ENTRY(launch)
