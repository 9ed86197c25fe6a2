// expect: 0
// The host's results as a table of constants.
#include "lab.h"
#include <algorithm>
#include <vector>
__constant__ float table[16384];
__global__ void put(float* to, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        to[i] = table[i];
}
cudaError_t launch(const float* in, float* out, int n, cudaStream_t stream) {
    std::vector<float> a(n);
    cudaMemcpy(a.data(), in, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int first = 0; first < n; first += 16384) {
        const int count = std::min(n - first, 16384);
        std::vector<float> b(count);
        for (int i = first; i < first + count; ++i)
            for (int d = -3; d <= 3; ++d)
                if (0 <= i + d && i + d < n)
                    b[i - first] += float(d + 4) * a[i + d];
        cudaMemcpyToSymbolAsync(table, b.data(), count * sizeof(float), 0, cudaMemcpyHostToDevice, stream);
        put<<<4, 256, 0, stream>>>(out + first, count);
        cudaStreamSynchronize(stream);
    }
    return cudaGetLastError();
}
LAB_ENTRY(launch)
