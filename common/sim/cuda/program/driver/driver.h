// Shared parts of the driver API's functions. Most of them are the runtime's functions under another name: the error
// codes are the same numbers, and streams, events and addresses are the same things.
#pragma once

#include <cuda.h>

#include "sim/cuda/program/runtime.h"

namespace sim::cuda {

/// The runtime's answer as the driver gives it.
inline CUresult as_driver(cudaError_t error) {
    switch (error) {
    case cudaErrorInvalidDeviceFunction: // these are no codes of the driver
    case cudaErrorInvalidSymbol:
        return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidKernelImage:
        return CUDA_ERROR_INVALID_IMAGE;
    default:
        return static_cast<CUresult>(error);
    }
}

/// The body of a function of the driver: it returns nothing and throws Failure.
template <typename Body>
CUresult driver(const char* name, Body&& body) {
    return as_driver(api(name, std::forward<Body>(body)));
}

inline void* pointer(CUdeviceptr address) {
    return reinterpret_cast<void*>(address);
}

/// A kernel of a module that the program has loaded by itself: CUfunction and CUkernel point to it.
inline const void* symbol(CUfunction function) {
    return function;
}

} // namespace sim::cuda
