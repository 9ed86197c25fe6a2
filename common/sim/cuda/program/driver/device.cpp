// What device there is, and which functions the driver has.
#include <cstdio>
#include <cstring>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "sim/cuda/program/device_attributes.h"
#include "sim/cuda/program/driver/entry_points.h"
#include "sim/cuda/program/session.h"

#define ASYNCLAB_API extern "C" __attribute__((visibility("default")))

namespace {

// Without connecting to the device: in the drop-in libcuda.so.1 this library is a second copy, which must not.
sim::machine::Properties device() {
    return sim::cuda::Session::get().device_options().properties;
}

} // namespace

ASYNCLAB_API CUresult cuInit(unsigned) {
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuDriverGetVersion(int* version) {
    *version = 13990; // compilers of all versions so far write PTX that the simulated device reads
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuDeviceGetCount(int* count) {
    *count = 1;
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    *device = 0;
    return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
ASYNCLAB_API CUresult cuDeviceGetName(char* name, int bytes, CUdevice) {
    if (!name || bytes < 1)
        return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(name, static_cast<size_t>(bytes), "%s", sim::cuda::device_name(device()).c_str());
    return CUDA_SUCCESS;
}
#undef cuDeviceTotalMem
ASYNCLAB_API CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
    *bytes = device().total_memory;
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice number) {
    if (!value || number != 0)
        return number ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
    *value = sim::cuda::device_attribute(device(), attribute);
    return CUDA_SUCCESS;
}
ASYNCLAB_API CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
    cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    return cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}
ASYNCLAB_API CUresult cuDeviceGetPCIBusId(char* text, int bytes, CUdevice number) {
    return static_cast<CUresult>(cudaDeviceGetPCIBusId(text, bytes, number));
}
ASYNCLAB_API CUresult cuDeviceCanAccessPeer(int* can, CUdevice, CUdevice) {
    *can = 0; // there is one device
    return CUDA_SUCCESS;
}
#undef cuGetProcAddress
// Python's bindings ask for every function that there is, so one that is missing is no news before it is called.
ASYNCLAB_API CUresult cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t,
                                          CUdriverProcAddressQueryResult* status) {
    if (!name || !function)
        return CUDA_ERROR_INVALID_VALUE;
    *function = sim::cuda::driver_function(name, version);
    if (status)
        *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
namespace {

// The tables that NVRTC asks for, and that it takes to be there if the driver is.
constexpr unsigned char nvrtc_tables[][16] = {
    {0xda, 0x91, 0x51, 0xd3, 0x3a, 0xe6, 0xcc, 0x41, 0xa5, 0xc0, 0x4f, 0x26, 0xd5, 0x33, 0xe3, 0x28},
    {0x17, 0x34, 0xdc, 0x26, 0x80, 0x0d, 0x47, 0x45, 0x87, 0x26, 0xc0, 0xf1, 0xe7, 0xdd, 0x8b, 0xca},
};

} // namespace

// Tables of functions that are not public, for NVIDIA's own libraries. Each begins with its size; these say that
// nothing is in them.
ASYNCLAB_API CUresult cuGetExportTable(const void** table, const CUuuid* which) {
    static const uint64_t empty[1] = {sizeof(uint64_t)};
    if (!table || !which)
        return CUDA_ERROR_INVALID_VALUE;
    for (const auto& known : nvrtc_tables)
        if (std::memcmp(which->bytes, known, sizeof known) == 0) {
            *table = empty;
            return CUDA_SUCCESS;
        }
    sim::cuda::Session::get().say(
        "this program contains NVIDIA's CUDA runtime, which needs functions of the driver that are not public: build it "
        "with nvcc -cudart shared, or use a library that calls the driver API itself");
    return CUDA_ERROR_NOT_FOUND;
}
