// Memory through the driver.
#include "sim/cuda/program/copies.h"
#include "sim/cuda/program/driver/driver.h"

using namespace sim::cuda;

ASYNCLAB_API CUresult cuMemAlloc(CUdeviceptr* address, size_t bytes) {
    if (!bytes)
        return driver("cuMemAlloc", [] { fail(cudaErrorInvalidValue, "an allocation of 0 bytes"); });
    return as_driver(cudaMalloc(reinterpret_cast<void**>(address), bytes));
}
ASYNCLAB_API CUresult cuMemFree(CUdeviceptr address) {
    return as_driver(cudaFree(pointer(address)));
}
ASYNCLAB_API CUresult cuMemAllocPitch(CUdeviceptr* address, size_t* pitch, size_t width, size_t height, unsigned) {
    return as_driver(cudaMallocPitch(reinterpret_cast<void**>(address), pitch, width, height));
}
ASYNCLAB_API CUresult cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream stream) {
    return as_driver(cudaMallocAsync(reinterpret_cast<void**>(address), bytes, stream));
}
ASYNCLAB_API CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
    return as_driver(cudaFreeAsync(pointer(address), stream));
}
ASYNCLAB_API CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool pool, CUstream stream) {
    return as_driver(cudaMallocFromPoolAsync(reinterpret_cast<void**>(address), bytes, pool, stream));
}
ASYNCLAB_API CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned flags) {
    return as_driver(cudaMallocManaged(reinterpret_cast<void**>(address), bytes, flags));
}
ASYNCLAB_API CUresult cuMemAllocHost(void** host, size_t bytes) {
    return as_driver(cudaMallocHost(host, bytes));
}
ASYNCLAB_API CUresult cuMemHostAlloc(void** host, size_t bytes, unsigned flags) {
    return as_driver(cudaHostAlloc(host, bytes, flags));
}
ASYNCLAB_API CUresult cuMemFreeHost(void* host) {
    return as_driver(cudaFreeHost(host));
}
ASYNCLAB_API CUresult cuMemHostRegister(void* host, size_t bytes, unsigned flags) {
    return as_driver(cudaHostRegister(host, bytes, flags));
}
ASYNCLAB_API CUresult cuMemHostUnregister(void* host) {
    return as_driver(cudaHostUnregister(host));
}
ASYNCLAB_API CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* host, unsigned flags) {
    return as_driver(cudaHostGetDevicePointer(reinterpret_cast<void**>(address), host, flags));
}
ASYNCLAB_API CUresult cuMemHostGetFlags(unsigned* flags, void* host) {
    return as_driver(cudaHostGetFlags(flags, host));
}
ASYNCLAB_API CUresult cuMemGetInfo(size_t* free, size_t* total) {
    return as_driver(cudaMemGetInfo(free, total));
}
ASYNCLAB_API CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* bytes, CUdeviceptr address) {
    return driver("cuMemGetAddressRange", [&] {
        Allocation found;
        if (!Runtime::get().find(address, found) && !Runtime::get().find_variable(address, found))
            fail(cudaErrorSymbolNotFound, "the address is not inside a live allocation");
        if (base)
            *base = found.address;
        if (bytes)
            *bytes = found.bytes;
    });
}

namespace {

// Writes an attribute of an address in the form that it has. False: the attribute is not known.
bool answer(CUpointer_attribute which, void* to, const cudaPointerAttributes& about, CUdeviceptr address,
            const Allocation& allocation) {
    switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        return cuCtxGetCurrent(static_cast<CUcontext*>(to)) == CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *static_cast<unsigned*>(to) = about.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return true;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *static_cast<CUdeviceptr*>(to) = address;
        return true;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *static_cast<void**>(to) = about.hostPointer;
        return about.hostPointer != nullptr;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *static_cast<unsigned*>(to) = about.type == cudaMemoryTypeManaged;
        return true;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *static_cast<int*>(to) = 0;
        return true;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *static_cast<CUdeviceptr*>(to) = allocation.address;
        return true;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *static_cast<size_t*>(to) = allocation.bytes;
        return true;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        *static_cast<unsigned long long*>(to) = allocation.address;
        return true;
    default:
        return false;
    }
}

} // namespace

ASYNCLAB_API CUresult cuPointerGetAttribute(void* data, CUpointer_attribute which, CUdeviceptr address) {
    return driver("cuPointerGetAttribute", [&] {
        Allocation allocation;
        cudaPointerAttributes about{};
        if (!data || !Runtime::get().find(address, allocation) || cudaPointerGetAttributes(&about, pointer(address)) ||
            !answer(which, data, about, address, allocation))
            fail(cudaErrorInvalidValue);
    });
}
ASYNCLAB_API CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* which, void** data,
                                             CUdeviceptr address) {
    return driver("cuPointerGetAttributes", [&] { // of an address that is not known, all are 0
        Allocation allocation;
        cudaPointerAttributes about{};
        const bool known = Runtime::get().find(address, allocation);
        if (known)
            cudaPointerGetAttributes(&about, pointer(address));
        for (unsigned i = 0; i < count; ++i)
            if (!known || !answer(which[i], data[i], about, address, allocation))
                *static_cast<unsigned*>(data[i]) = 0;
    });
}

ASYNCLAB_API CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
    return as_driver(cudaDeviceGetDefaultMemPool(pool, device));
}
ASYNCLAB_API CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
    return as_driver(cudaDeviceGetMemPool(pool, device));
}
ASYNCLAB_API CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
    return as_driver(cudaDeviceSetMemPool(device, pool));
}
ASYNCLAB_API CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute which, void* value) {
    return as_driver(cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(which), value));
}
ASYNCLAB_API CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute which, void* value) {
    return as_driver(cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(which), value));
}
ASYNCLAB_API CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes) {
    return as_driver(cudaMemPoolTrimTo(pool, bytes));
}
