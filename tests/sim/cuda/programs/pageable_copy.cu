// expect: note [pageable-async-copy]
// expect: pageable_copy.cu:11
// expect: pageable_copy.cu:13
#include "check.h"

__device__ int table[16];

int main() {
    int host[16] = {}, *device;
    OK(cudaMalloc(&device, 64));
    OK(cudaMemcpyToSymbolAsync(table, host, 64, 0, cudaMemcpyHostToDevice)); // a template in cuda_runtime.h
    OK(cudaMemsetAsync(device, 1, 64));
    OK(cudaMemcpyAsync(host, device, 64, cudaMemcpyDeviceToHost));
    CHECK(host[15] == 0x01010101); // complete: pageable memory makes the call wait
}
