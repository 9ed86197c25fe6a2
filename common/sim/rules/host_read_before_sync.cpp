#include "sim/rules/host_access.h"

namespace sim::hazards {

const Rule rule::host_read_before_sync{
    .name = "host-read-before-sync",
    .title = "The host reads memory that a copy or a kernel may still be writing",
    .why = R"(cudaMemcpyAsync with pinned memory returns before the bytes are copied, and a launch returns before the
        kernel has run. The contents of the buffer, or of managed and mapped memory that the kernel writes, are
        undefined until the host has waited for the stream, for an event recorded after that work, or for the device.)",
    .remedy = "Call cudaStreamSynchronize, cudaEventSynchronize or cudaDeviceSynchronize before the host reads.",
    .manual = "https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        return touched_early(facts, false, HostMisuse::Kind::read_before_sync);
    },
    .wrong = R"cuda(#include <cstdio>

__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

int main() {
    int *device, *host;
    cudaMalloc(&device, 64 * sizeof(int));
    cudaMallocHost(&host, 64 * sizeof(int));
    fill<<<1, 64>>>(device);
    cudaMemcpyAsync(host, device, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d\n", host[63]); // wrong: the copy may not even have begun
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    std::printf("%d\n", host[63]); // wrong: the copy may not even have begun
-    return cudaDeviceSynchronize();
+    const cudaError_t error = cudaDeviceSynchronize();
+    std::printf("%d\n", host[63]);
+    return error;
)",
};

} // namespace sim::hazards
