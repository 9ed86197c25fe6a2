// expect: 0
// The host's results, a kilobyte at a time, as arguments.
#include "lab.h"
#include <algorithm>
#include <vector>
struct Some {
    float values[256];
};
__global__ void put(Some some, float* to, int n) {
    if (threadIdx.x < n)
        to[threadIdx.x] = some.values[threadIdx.x];
}
cudaError_t launch(const float* in, float* out, int n, cudaStream_t stream) {
    std::vector<float> a(n);
    cudaMemcpy(a.data(), in, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int first = 0; first < n; first += 256) {
        Some some{};
        for (int i = first; i < std::min(n, first + 256); ++i)
            for (int d = -3; d <= 3; ++d)
                if (0 <= i + d && i + d < n)
                    some.values[i - first] += float(d + 4) * a[i + d];
        put<<<1, 256, 0, stream>>>(some, out + first, n - first);
    }
    return cudaGetLastError();
}
LAB_ENTRY(launch)
