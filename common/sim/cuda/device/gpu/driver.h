// NVIDIA's driver, loaded when it is first needed: programs with a GPU's results build and run on machines without one.
#pragma once

#include <stdexcept>
#include <string>

#include <cuda.h>

namespace sim::cuda::gpu {

// cuda.h renames functions to their newest forms (cuMemcpyDtoH is cuMemcpyDtoH_v2), here as there.
#define ASYNCLAB_DRIVER_FUNCTIONS(X)                                                                                   \
    X(cuInit)                                                                                                          \
    X(cuDriverGetVersion)                                                                                              \
    X(cuGetErrorName)                                                                                                  \
    X(cuGetErrorString)                                                                                                \
    X(cuDeviceGet)                                                                                                     \
    X(cuDeviceGetCount)                                                                                                \
    X(cuDeviceGetName)                                                                                                 \
    X(cuDeviceGetAttribute)                                                                                            \
    X(cuDeviceTotalMem)                                                                                                \
    X(cuDevicePrimaryCtxRetain)                                                                                        \
    X(cuCtxSetCurrent)                                                                                                 \
    X(cuMemGetInfo)                                                                                                    \
    X(cuMemAddressReserve)                                                                                             \
    X(cuMemAddressFree)                                                                                                \
    X(cuMemGetAllocationGranularity)                                                                                   \
    X(cuMemCreate)                                                                                                     \
    X(cuMemMap)                                                                                                        \
    X(cuMemSetAccess)                                                                                                  \
    X(cuMemUnmap)                                                                                                      \
    X(cuMemRelease)                                                                                                    \
    X(cuMemHostRegister)                                                                                               \
    X(cuMemHostUnregister)                                                                                             \
    X(cuMemcpyAsync)                                                                                                   \
    X(cuMemcpyDtoH)                                                                                                    \
    X(cuMemcpyHtoD)                                                                                                    \
    X(cuMemsetD8)                                                                                                      \
    X(cuMemsetD8Async)                                                                                                 \
    X(cuMemsetD16Async)                                                                                                \
    X(cuMemsetD32Async)                                                                                                \
    X(cuModuleLoadDataEx)                                                                                              \
    X(cuModuleUnload)                                                                                                  \
    X(cuModuleGetFunction)                                                                                             \
    X(cuModuleGetGlobal)                                                                                               \
    X(cuFuncGetAttribute)                                                                                              \
    X(cuFuncSetAttribute)                                                                                              \
    X(cuFuncGetParamInfo)                                                                                              \
    X(cuLaunchKernelEx)                                                                                                \
    X(cuLaunchHostFunc)                                                                                                \
    X(cuStreamCreateWithPriority)                                                                                      \
    X(cuStreamDestroy)                                                                                                 \
    X(cuStreamQuery)                                                                                                   \
    X(cuStreamWaitEvent)                                                                                               \
    X(cuEventCreate)                                                                                                   \
    X(cuEventDestroy)                                                                                                  \
    X(cuEventRecord)                                                                                                   \
    X(cuEventQuery)                                                                                                    \
    X(cuEventElapsedTime)                                                                                              \
    X(cuTensorMapEncodeTiled)                                                                                          \
    X(cuTensorMapEncodeIm2col)                                                                                         \
    X(cuTensorMapReplaceAddress)

/// The driver's functions by their names: `driver().cuInit(0)`.
struct Driver {
#define X(function) decltype(&::function) function = nullptr;
    ASYNCLAB_DRIVER_FUNCTIONS(X)
#undef X
};

/// There is no GPU, or none that can be used.
struct NoGpu : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Loads the driver and initialises it, once in a process. A process that has called it must not fork. Throws NoGpu.
const Driver& driver();

std::string error_text(CUresult result); ///< "CUDA_ERROR_…: an illegal memory access was encountered"
/// Does the driver refuse everything else that the process asks for after this error?
bool ends_the_context(CUresult result);
/// 0 if the driver does not know.
int attribute(CUdevice device, CUdevice_attribute which);

} // namespace sim::cuda::gpu
