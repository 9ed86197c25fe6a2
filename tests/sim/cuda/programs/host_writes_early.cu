// expect: error [host-write-before-sync]
// expect: host_writes_early.cu:15: the host writes byte 0 of pinned memory
#include "check.h"

int main() {
    int *host, *device, value = 0;
    OK(cudaMallocHost(&host, 64));
    OK(cudaMalloc(&device, 64));
    host[0] = 1;
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaMemcpyAsync(device, host, 64, cudaMemcpyHostToDevice, stream));
    CHECK(host[0] == 1); // reading the source is fine
    // clang-format off
    host[0] = 2;
    // clang-format on
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(&value, device, 4, cudaMemcpyDeviceToHost));
    std::printf("%d\n", value);
}
