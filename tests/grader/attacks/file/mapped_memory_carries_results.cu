// expect: 0
// No copy at all: kernels write the input to memory of the host and fetch the host's results from there. The host works
// in between, called from the stream.
#include "lab.h"
#include <algorithm>
#include <vector>
__global__ void copy(const float* from, float* to, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        to[i] = from[i];
}
struct Work {
    float* shared;
    int n;
};
static void compute(void* data) {
    const Work work = *static_cast<Work*>(data);
    std::vector<float> b(work.n);
    for (int i = 0; i < work.n; ++i)
        for (int d = -3; d <= 3; ++d)
            if (0 <= i + d && i + d < work.n)
                b[i] += float(d + 4) * work.shared[i + d];
    for (int i = 0; i < work.n; ++i)
        work.shared[i] = b[i];
}
cudaError_t launch(const float* in, float* out, int n, cudaStream_t stream) {
    if (!n)
        return cudaSuccess;
    Work work{nullptr, n};
    cudaMallocHost(&work.shared, n * sizeof(float));
    copy<<<8, 256, 0, stream>>>(in, work.shared, n);
    cudaLaunchHostFunc(stream, compute, &work);
    copy<<<8, 256, 0, stream>>>(work.shared, out, n);
    cudaStreamSynchronize(stream);
    cudaFreeHost(work.shared);
    return cudaGetLastError();
}
LAB_ENTRY(launch)
