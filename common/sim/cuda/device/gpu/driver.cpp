#include "sim/cuda/device/gpu/driver.h"

#include <dlfcn.h>

namespace sim::cuda::gpu {

namespace {

Driver load() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        throw NoGpu("NVIDIA's driver (libcuda.so.1) is not installed");
    Driver found;
    // Twice, so that the name is the one that cuda.h has made of it.
#define NAME(function) #function
#define X(function)                                                                                                    \
    found.function = reinterpret_cast<decltype(found.function)>(dlsym(library, NAME(function)));                       \
    if (!found.function)                                                                                               \
        throw NoGpu("libcuda.so.1 has no " NAME(function) ": a driver for CUDA 12.4 or newer is needed");
    ASYNCLAB_DRIVER_FUNCTIONS(X)
#undef X
#undef NAME
    if (const CUresult result = found.cuInit(0)) {
        const char* text = nullptr;
        found.cuGetErrorString(result, &text);
        throw NoGpu(std::string("NVIDIA's driver finds no GPU: ") + (text ? text : "unknown error"));
    }
    int count = 0;
    if (found.cuDeviceGetCount(&count) != CUDA_SUCCESS || count == 0)
        throw NoGpu("NVIDIA's driver finds no GPU");
    return found;
}

} // namespace

const Driver& driver() {
    static const Driver loaded = load();
    return loaded;
}

std::string error_text(CUresult result) {
    const char *name = nullptr, *text = nullptr;
    driver().cuGetErrorName(result, &name);
    driver().cuGetErrorString(result, &text);
    return std::string(name ? name : "an unknown error") + (text ? std::string(": ") + text : "");
}

bool ends_the_context(CUresult result) {
    switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_UNKNOWN:
        return true;
    default:
        return false;
    }
}

int attribute(CUdevice device, CUdevice_attribute which) {
    int value = 0;
    driver().cuDeviceGetAttribute(&value, which, device);
    return value;
}

} // namespace sim::cuda::gpu
