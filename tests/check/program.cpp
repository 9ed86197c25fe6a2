// The program that example/check.cpp calls: a kernel.cu without kernels.
#include "lab.h"

#include <cstdlib>

cudaError_t launch(int does, const float* in, float* out, int n, cudaStream_t stream) {
    const size_t bytes = size_t(n) * sizeof(float);
    switch (does) {
    case 0: // copies
        return cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, stream);
    case 1: // copies but the last
        return cudaMemcpyAsync(out, in, bytes - sizeof(float), cudaMemcpyDeviceToDevice, stream);
    case 2: // writes beyond
        return cudaMemcpyAsync(out, in, bytes + sizeof(float), cudaMemcpyDeviceToDevice, stream);
    case 3: // changes the input
        return cudaMemsetAsync(const_cast<float*>(in), 0, bytes, stream);
    case 5: // fails
        return cudaErrorInvalidValue;
    case 6: // leaves
        std::exit(3);
    case 7: // on the host
        for (int i = 0; i < n; ++i)
            out[i] = 2 * in[i];
        break;
    }
    return cudaSuccess;
}

LAB_ENTRY(launch)
