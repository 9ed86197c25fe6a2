// The device: what it is and what the host can set about it.
#include <cstring>

#include "sim/cuda/runtime.h"

using namespace sim::cuda;

namespace {

void check_device(int device) {
    if (device != 0)
        fail(cudaErrorInvalidDevice, "there is one simulated device, number 0");
}

} // namespace

namespace sim::cuda {

int device_attribute(cudaDeviceAttr attribute) {
    const machine::Properties& device = Runtime::get().device();
    const auto number = [](auto value) { return static_cast<int>(value); };
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        return number(device.max_threads_per_block);
    case cudaDevAttrMaxBlockDimX:
        return number(device.max_block.x);
    case cudaDevAttrMaxBlockDimY:
        return number(device.max_block.y);
    case cudaDevAttrMaxBlockDimZ:
        return number(device.max_block.z);
    case cudaDevAttrMaxGridDimX:
        return number(device.max_grid.x);
    case cudaDevAttrMaxGridDimY:
        return number(device.max_grid.y);
    case cudaDevAttrMaxGridDimZ:
        return number(device.max_grid.z);
    case cudaDevAttrMaxSharedMemoryPerBlock:
        return number(device.shared_per_block);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        return number(device.shared_per_block_optin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        return number(device.shared_per_sm);
    case cudaDevAttrReservedSharedMemoryPerBlock:
        return number(device.reserved_shared_per_block);
    case cudaDevAttrTotalConstantMemory:
        return 65536;
    case cudaDevAttrWarpSize:
        return number(device.warp_size);
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        return number(device.registers_per_sm);
    case cudaDevAttrMultiProcessorCount:
        return number(device.sm_count);
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        return number(device.max_threads_per_sm);
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        return number(device.max_blocks_per_sm);
    case cudaDevAttrComputeCapabilityMajor:
        return number(device.sm / 10);
    case cudaDevAttrComputeCapabilityMinor:
        return number(device.sm % 10);
    case cudaDevAttrMaxPitch:
        return 2147483647;
    case cudaDevAttrClockRate:
        return 1700000;
    case cudaDevAttrMemoryClockRate:
        return 2600000;
    case cudaDevAttrGlobalMemoryBusWidth:
        return 5120;
    case cudaDevAttrL2CacheSize:
        return 50 << 20;
    case cudaDevAttrTextureAlignment:
    case cudaDevAttrSurfaceAlignment:
        return 512;
    case cudaDevAttrTexturePitchAlignment:
        return 32;
    case cudaDevAttrAsyncEngineCount:
        return 3;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
        return 2;
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrClusterLaunch:
        return 1;
    default: // textures, surfaces, interoperation: not here
        return 0;
    }
}

} // namespace sim::cuda

namespace {

size_t limits[8] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0, 0};

} // namespace

ASYNCLAB_API cudaError_t cudaGetDeviceCount(int* count) {
    return api("cudaGetDeviceCount", [&] { *count = 1; });
}
ASYNCLAB_API cudaError_t cudaGetDevice(int* device) {
    return api("cudaGetDevice", [&] { *device = 0; });
}
ASYNCLAB_API cudaError_t cudaSetDevice(int device) {
    return api("cudaSetDevice", [&] {
        check_device(device);
        Runtime::get();
    });
}
ASYNCLAB_API cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
    return cudaSetDevice(device);
}
ASYNCLAB_API cudaError_t cudaSetValidDevices(int*, int) {
    return cudaSuccess;
}
ASYNCLAB_API cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
    return cudaGetDevice(device);
}
ASYNCLAB_API cudaError_t cudaSetDeviceFlags(unsigned) {
    return cudaSuccess;
}
ASYNCLAB_API cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    *flags = cudaDeviceScheduleAuto | cudaDeviceMapHost;
    return cudaSuccess;
}
ASYNCLAB_API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
    return api("cudaDeviceGetAttribute", [&] {
        check_device(device);
        *value = device_attribute(which);
    });
}
ASYNCLAB_API cudaError_t cudaDeviceSynchronize() {
    return api("cudaDeviceSynchronize", [] { Runtime::get().wait(Target::device, 0); });
}
ASYNCLAB_API cudaError_t cudaDeviceReset() {
    return api("cudaDeviceReset", [] {
        if (Runtime::exists())
            Runtime::get().drop_all();
    });
}
ASYNCLAB_API cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
    return api("cudaDeviceSetLimit", [&] {
        if (limit < 0 || limit > cudaLimitPersistingL2CacheSize)
            fail(cudaErrorInvalidValue, "unknown limit");
        limits[limit] = value;
    });
}
ASYNCLAB_API cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
    return api("cudaDeviceGetLimit", [&] {
        if (limit < 0 || limit > cudaLimitPersistingL2CacheSize)
            fail(cudaErrorInvalidValue, "unknown limit");
        *value = limits[limit];
    });
}
ASYNCLAB_API cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
    return cudaSuccess;
}
ASYNCLAB_API cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}
ASYNCLAB_API cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
    return cudaSuccess;
}
ASYNCLAB_API cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}
ASYNCLAB_API cudaError_t cudaCtxResetPersistingL2Cache() {
    return cudaSuccess;
}
ASYNCLAB_API cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    return api("cudaDeviceCanAccessPeer", [&] {
        check_device(device);
        check_device(peer);
        *can = 0;
    });
}
ASYNCLAB_API cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
    return api("cudaDeviceEnablePeerAccess",
               [] { fail(cudaErrorInvalidDevice, "there is only one simulated device"); });
}
ASYNCLAB_API cudaError_t cudaDeviceDisablePeerAccess(int) {
    return api("cudaDeviceDisablePeerAccess", [] { fail(cudaErrorPeerAccessNotEnabled); });
}
ASYNCLAB_API cudaError_t cudaDeviceGetPCIBusId(char* text, int bytes, int device) {
    return api("cudaDeviceGetPCIBusId", [&] {
        check_device(device);
        static constexpr char id[] = "0000:00:00.0";
        if (!text || bytes < static_cast<int>(sizeof id))
            fail(cudaErrorInvalidValue);
        std::memcpy(text, id, sizeof id);
    });
}
ASYNCLAB_API cudaError_t cudaDeviceGetByPCIBusId(int* device, const char*) {
    *device = 0;
    return cudaSuccess;
}
ASYNCLAB_API cudaError_t cudaProfilerStart() {
    return cudaSuccess;
}
ASYNCLAB_API cudaError_t cudaProfilerStop() {
    return cudaSuccess;
}
