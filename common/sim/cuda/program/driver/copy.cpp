// Copies and fills through the driver. A report names the caller of the function as the place of the copy.
#include "sim/cuda/program/copies.h"
#include "sim/cuda/program/driver/driver.h"
#include "sim/cuda/program/graph.h"

using namespace sim::cuda;

namespace {

CUresult copy(const char* name, CUdeviceptr to, CUdeviceptr from, size_t bytes, cudaMemcpyKind kind, CUstream stream,
              Blocking mode, const void* site) {
    return driver(name, [&] { copy_bytes(pointer(to), pointer(from), bytes, kind, stream, mode, site); });
}

CUdeviceptr address(const void* host) {
    return to_address(host);
}

struct Side {
    uint64_t address, pitch;
};
Side side(CUmemorytype type, size_t x, size_t y, const void* host, CUdeviceptr device, size_t pitch) {
    if (type == CU_MEMORYTYPE_ARRAY)
        fail(cudaErrorNotSupported, "CUDA arrays are not supported by the simulated device");
    return {(type == CU_MEMORYTYPE_HOST ? address(host) : device) + y * pitch + x, pitch};
}

CUresult plane(const char* name, const CUDA_MEMCPY2D* copy, CUstream stream, Blocking mode, const void* site) {
    return driver(name, [&] {
        if (!copy)
            fail(cudaErrorInvalidValue);
        const Side from = side(copy->srcMemoryType, copy->srcXInBytes, copy->srcY, copy->srcHost, copy->srcDevice,
                               copy->srcPitch ? copy->srcPitch : copy->WidthInBytes);
        const Side to = side(copy->dstMemoryType, copy->dstXInBytes, copy->dstY, copy->dstHost, copy->dstDevice,
                             copy->dstPitch ? copy->dstPitch : copy->WidthInBytes);
        Box box;
        box.source = from.address;
        box.source_pitch = from.pitch;
        box.destination = to.address;
        box.destination_pitch = to.pitch;
        box.width = copy->WidthInBytes;
        box.height = copy->Height;
        copy_box(box, cudaMemcpyDefault, stream, mode, site);
    });
}

CUresult fill(const char* name, CUdeviceptr to, uint32_t value, uint32_t width, size_t count, CUstream stream,
              bool synchronous) {
    return driver(name, [&] {
        Runtime& runtime = Runtime::get();
        const uint64_t id = runtime.stream_id(stream);
        if (!count)
            return;
        if (to % width)
            fail(cudaErrorInvalidValue, "the address is not a multiple of the element's size");
        graph::issue(graph::FillWork{Fill{id, to, count, 1, count * width, value, width, 0}}, id);
        Allocation found;
        if (synchronous && runtime.find(to, found) && found.kind != Allocation::Kind::device)
            runtime.wait(Target::stream, id);
    });
}

} // namespace

#define HERE __builtin_return_address(0)
constexpr auto anywhere = cudaMemcpyDefault;

ASYNCLAB_API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return copy("cuMemcpy", to, from, bytes, anywhere, nullptr, blocking, HERE);
}
ASYNCLAB_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy("cuMemcpyAsync", to, from, bytes, anywhere, stream, queued, HERE);
}
ASYNCLAB_API CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
    return copy("cuMemcpyHtoD", to, address(from), bytes, cudaMemcpyHostToDevice, nullptr, blocking, HERE);
}
ASYNCLAB_API CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
    return copy("cuMemcpyDtoH", address(to), from, bytes, cudaMemcpyDeviceToHost, nullptr, blocking, HERE);
}
ASYNCLAB_API CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return copy("cuMemcpyDtoD", to, from, bytes, cudaMemcpyDeviceToDevice, nullptr, blocking, HERE);
}
ASYNCLAB_API CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
    return copy("cuMemcpyHtoDAsync", to, address(from), bytes, cudaMemcpyHostToDevice, stream, queued, HERE);
}
ASYNCLAB_API CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy("cuMemcpyDtoHAsync", address(to), from, bytes, cudaMemcpyDeviceToHost, stream, queued, HERE);
}
ASYNCLAB_API CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy("cuMemcpyDtoDAsync", to, from, bytes, cudaMemcpyDeviceToDevice, stream, queued, HERE);
}
ASYNCLAB_API CUresult cuMemcpy2D(const CUDA_MEMCPY2D* parameters) {
    return plane("cuMemcpy2D", parameters, nullptr, blocking, HERE);
}
ASYNCLAB_API CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* parameters) {
    return plane("cuMemcpy2DUnaligned", parameters, nullptr, blocking, HERE);
}
ASYNCLAB_API CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* parameters, CUstream stream) {
    return plane("cuMemcpy2DAsync", parameters, stream, queued, HERE);
}

ASYNCLAB_API CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
    return fill("cuMemsetD8", to, value, 1, count, nullptr, true);
}
ASYNCLAB_API CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
    return fill("cuMemsetD16", to, value, 2, count, nullptr, true);
}
ASYNCLAB_API CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
    return fill("cuMemsetD32", to, value, 4, count, nullptr, true);
}
ASYNCLAB_API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
    return fill("cuMemsetD8Async", to, value, 1, count, stream, false);
}
ASYNCLAB_API CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
    return fill("cuMemsetD16Async", to, value, 2, count, stream, false);
}
ASYNCLAB_API CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
    return fill("cuMemsetD32Async", to, value, 4, count, stream, false);
}
