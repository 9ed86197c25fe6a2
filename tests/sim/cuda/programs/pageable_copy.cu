// expect: note [pageable-async-copy]
#include "check.h"

int main() {
    int host[16] = {}, *device;
    OK(cudaMalloc(&device, 64));
    OK(cudaMemsetAsync(device, 1, 64));
    OK(cudaMemcpyAsync(host, device, 64, cudaMemcpyDeviceToHost));
    CHECK(host[15] == 0x01010101); // complete: pageable memory makes the call wait
}
