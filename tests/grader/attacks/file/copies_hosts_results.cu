// expect: 0
// The right answer, computed on the host and handed to a kernel that only copies.
#include "lab.h"
#include <algorithm>
#include <vector>
__global__ void copy(const float* from, float* to, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        to[i] = from[i];
}
cudaError_t launch(const float* in, float* out, int n, cudaStream_t stream) {
    if (!n)
        return cudaSuccess;
    std::vector<float> a(n), b(n);
    cudaMemcpy(a.data(), in, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
        for (int d = -3; d <= 3; ++d)
            if (0 <= i + d && i + d < n)
                b[i] += float(d + 4) * a[i + d];
    float* scratch = nullptr;
    cudaMalloc(&scratch, n * sizeof(float));
    cudaMemcpy(scratch, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    copy<<<8, 256, 0, stream>>>(scratch, out, n);
    cudaStreamSynchronize(stream);
    cudaFree(scratch);
    return cudaGetLastError();
}
LAB_ENTRY(launch)
