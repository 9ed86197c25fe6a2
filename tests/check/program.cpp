// The program that example/check.cpp calls: a kernel.cu without kernels.
#include "lab.h"

#include <atomic>
#include <cstdlib>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

cudaError_t upload(size_t bytes, cudaStream_t stream) {
    const std::vector<char> from(bytes, 1);
    void* to = nullptr;
    cudaError_t error = cudaMalloc(&to, bytes);
    if (!error)
        error = cudaMemcpyAsync(to, from.data(), bytes, cudaMemcpyHostToDevice, stream);
    if (!error)
        error = cudaStreamSynchronize(stream);
    return error;
}

// Copies as soon as *flag is 1, and then makes it 2.
std::thread copies_at(const float* in, float* out, size_t bytes, std::atomic<int>* flag) {
    return std::thread([=] {
        while (*flag != 1)
            usleep(100);
        cudaMemcpy(out, in, bytes, cudaMemcpyDeviceToDevice);
        *flag = 2;
    });
}

} // namespace

cudaError_t launch(int does, const float* in, float* out, int n, cudaStream_t stream) {
    const size_t bytes = size_t(n) * sizeof(float);
    static std::atomic<int> flag;
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
    case 8: // uploads
        return upload(size_t(n), stream);
    case 9: { // a function that the simulated device does not have, and a look at nothing
        cudaArray_t array;
        const cudaChannelFormatDesc format{32, 0, 0, 0, cudaChannelFormatKindFloat};
        cudaMallocArray(&array, &format, 16);
        break;
    }
    case 10: { // asks which architecture this is
        int major = 0;
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
        break;
    }
    case 11: { // does, too
        cudaDeviceProp properties;
        cudaGetDeviceProperties(&properties, 0);
        break;
    }
    case 12: { // asks for something else
        int sms = 0;
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
        break;
    }
    case 13: // a thread of the program copies, and is done when this returns
        flag = 1;
        copies_at(in, out, bytes, &flag).join();
        break;
    case 14: // when this has returned, and something in the stream waits for it
        flag = 0;
        copies_at(in, out, bytes, &flag).detach();
        return cudaLaunchHostFunc(
            stream,
            [](void*) {
                flag = 1;
                while (flag != 2)
                    usleep(100);
            },
            nullptr);
    case 15: // when the checker writes to `in`, memory of the host, which nothing on the device waits for
        copies_at(out, out + n, bytes, reinterpret_cast<std::atomic<int>*>(const_cast<float*>(in))).detach();
        break;
    }
    return cudaSuccess;
}

LAB_ENTRY(launch)
