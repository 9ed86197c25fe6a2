// Functions of the driver whose form differs between CUDA 12 and CUDA 13; as in runtime/versions.cpp, the headers
// are not included.
#include <cstddef>
#include <cstring>

#include "sim/cuda/program/driver/context.h"

#define ASYNCLAB_API extern "C" __attribute__((visibility("default")))

using sim::cuda::create_context;

ASYNCLAB_API int cuCtxCreate_v2(void** context, unsigned flags, int device) {
    return create_context(context, flags, device);
}
ASYNCLAB_API int cuCtxCreate_v4(void** context, void*, unsigned flags, int device) {
    return create_context(context, flags, device);
}

extern "C" int cudaEventElapsedTime(float*, void*, void*);
ASYNCLAB_API int cuEventElapsedTime(float* milliseconds, void* first, void* second) {
    return cudaEventElapsedTime(milliseconds, first, second);
}
ASYNCLAB_API int cuEventElapsedTime_v2(float* milliseconds, void* first, void* second) {
    return cudaEventElapsedTime(milliseconds, first, second);
}

// CUuuid has 16 bytes. There is one device.
ASYNCLAB_API int cuDeviceGetUuid_v2(char* uuid, int) {
    std::memcpy(uuid, "asynclab device0", 16);
    return 0;
}
ASYNCLAB_API int cuDeviceGetUuid(char* uuid, int device) {
    return cuDeviceGetUuid_v2(uuid, device);
}

// Managed memory does not migrate here, so hints about it change nothing.
ASYNCLAB_API int cuMemPrefetchAsync_v2() {
    return 0;
}
ASYNCLAB_API int cuMemAdvise_v2() {
    return 0;
}
