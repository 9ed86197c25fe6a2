// expect: case "the upload is asynchronous"
// Memory that begins on a page boundary is still pageable.
// Drill 00.1: from which memory?
// The upload should only be requested: the host continues while the GPU copies. As it is, the runtime has to copy the
// numbers itself before the call returns. Allocate a staging buffer that the GPU can read without the host, and free it
// with the matching call. You need:
//     cudaMallocHost(&pointer, bytes)     allocates pinned host memory
//     cudaFreeHost(pointer)               frees it
#include "lab.h"

#include <algorithm>
#include <cstdlib>

__global__ void square(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * in[i];
}

/// `in`: n numbers in pageable host memory. `out`: n numbers in device memory.
void launch(const int* in, int* out, int n, cudaStream_t stream) {
    const size_t bytes = n * sizeof(int);
    int *staging = nullptr, *device = nullptr;
    cudaMalloc(&device, bytes);
    // TODO(1): allocate `bytes` bytes of pinned memory.
    staging = static_cast<int*>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096));
    // END TODO(1)

    std::copy(in, in + n, staging);
    cudaMemcpyAsync(device, staging, bytes, cudaMemcpyHostToDevice, stream);
    square<<<(n + 255) / 256, 256, 0, stream>>>(device, out, n);
    cudaStreamSynchronize(stream); // the copy has read the staging buffer, and the kernel has read `device`

    cudaFree(device);
    // TODO(2): free the staging buffer.
    std::free(staging);
    // END TODO(2)
}

LAB_ENTRY(launch)
