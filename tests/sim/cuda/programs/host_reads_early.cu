// expect: error [host-read-before-sync]
// expect: host_reads_early.cu:22: the host reads byte 40 of pinned memory
// expect: host_reads_early.cu:20: this copy of 1024 bytes into it
#include "check.h"

__global__ void fill(int* data) {
    data[threadIdx.x] = 7;
}

int main() {
    int *host, *device;
    OK(cudaMallocHost(&host, 8192));
    OK(cudaMalloc(&device, 1024));
    for (int i = 0; i < 2048; ++i)
        host[i] = -1;
    fill<<<1, 256>>>(device);
    CHECK(host[10] == -1);
    // Only the first 1024 bytes are the copy's; the rest of the page stays usable.
    // clang-format off
    OK(cudaMemcpyAsync(host, device, 1024, cudaMemcpyDeviceToHost));
    CHECK(host[256] == -1 && (host[257] = 5) == 5);
    const int early = host[10];
    // clang-format on
    OK(cudaDeviceSynchronize());
    CHECK(host[10] == 7 && host[257] == 5);
    std::printf("%d\n", early);
}
