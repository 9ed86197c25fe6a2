// expect: error [free-while-in-use]
#include "check.h"

int main() {
    int *host, *device;
    OK(cudaMallocHost(&host, 64));
    OK(cudaMalloc(&device, 64));
    OK(cudaMemsetAsync(device, 1, 64));
    OK(cudaMemcpyAsync(host, device, 64, cudaMemcpyDeviceToHost));
    OK(cudaFreeHost(host));
}
