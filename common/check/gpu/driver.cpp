#include "check/gpu/driver.h"

#include <dlfcn.h>

namespace check::gpu {

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

} // namespace check::gpu
