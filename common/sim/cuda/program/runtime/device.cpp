// The device: its properties, and its settings for the host.
#include <cstring>

#include "sim/cuda/program/device_attributes.h"
#include "sim/cuda/program/runtime.h"

using namespace sim::cuda;

namespace {

void check_device(int device) {
    if (device != 0)
        fail(cudaErrorInvalidDevice, "there is one simulated device, number 0");
}

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
        Runtime& runtime = Runtime::get();
        *value = device_attribute(names_architecture(which) ? runtime.whole_device() : runtime.device(), which);
    });
}
ASYNCLAB_API cudaError_t cudaDeviceSynchronize() {
    return api("cudaDeviceSynchronize", [] { Runtime::get().wait(Target::device, 0); });
}
ASYNCLAB_API cudaError_t cudaDeviceReset() {
    if (Runtime::exists() && Runtime::get().sticky()) { // the process has lost the device for good
        Runtime::get().give_up();
        return cudaSuccess;
    }
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
