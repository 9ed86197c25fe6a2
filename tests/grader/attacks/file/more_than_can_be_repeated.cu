// expect: 0
// Right, but the device is given so much that the checker cannot keep it to repeat the case.
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
    constexpr size_t bytes = 32 << 20;
    char *host = nullptr, *device = nullptr;
    cudaMallocHost(&host, bytes);
    cudaMalloc(&device, bytes);
    for (int i = 0; i < 3; ++i)
        cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream);
    if (n)
        stencil<<<8, 256, 0, stream>>>(in, out, n);
    cudaStreamSynchronize(stream);
    cudaFree(device);
    cudaFreeHost(host);
    return cudaGetLastError();
}
LAB_ENTRY(launch)
