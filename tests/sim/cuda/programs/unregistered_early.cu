// Memory of the heap that shares its last page with what the runtime itself allocates.
// expect: error [free-while-in-use]
// expect: unregistered_early.cu:18: cudaHostUnregister frees memory that a copy still uses
// expect: unregistered_early.cu:17: this copy is not known to be complete
#include <cstdlib>

#include "check.h"

int main() {
    constexpr size_t bytes = 1 << 16;
    void* const host = std::malloc(bytes);
    void* device;
    cudaStream_t stream;
    OK(cudaMalloc(&device, bytes));
    OK(cudaStreamCreate(&stream));
    OK(cudaHostRegister(host, bytes, cudaHostRegisterDefault));
    OK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
    OK(cudaHostUnregister(host));
    std::free(host);
    return cudaDeviceSynchronize();
}
