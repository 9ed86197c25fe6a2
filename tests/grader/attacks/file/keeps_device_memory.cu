// expect: partial
// Right results, but all device memory is gone afterwards: the next buffer of the case finds none.
#include "lab.h"
#include <algorithm>
__global__ void stencil(const float* in, float* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float sum = 0;
        for (int d = -3; d <= 3; ++d)
            if (0 <= i + d && i + d < n)
                sum += static_cast<float>(d + 4) * in[i + d];
        out[i] = sum;
    }
}
cudaError_t launch(const float* in, float* out, int n, cudaStream_t stream) {
    void* kept = nullptr;
    for (size_t bytes = size_t{1} << 30; bytes >= 256; bytes /= 2)
        while (cudaMalloc(&kept, bytes) == cudaSuccess)
            ;
    cudaGetLastError();
    if (n)
        stencil<<<8, 256, 0, stream>>>(in, out, n);
    return cudaGetLastError();
}
LAB_ENTRY(launch)
