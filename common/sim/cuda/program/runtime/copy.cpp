// Copies between host and device.
#include "base/demangle.h"
#include "sim/cuda/program/graph.h"

using namespace sim::cuda;

namespace {

// The functions without a stream parameter use the legacy default stream, or the thread's own under per-thread.
cudaError_t linear(const char* name, void* destination, const void* source, size_t bytes, cudaMemcpyKind kind,
                   cudaStream_t stream, Blocking mode, const void* site) {
    return api(name, [&] { copy_bytes(destination, source, bytes, kind, stream, mode, site); });
}

cudaError_t plane(const char* name, void* destination, size_t destination_pitch, const void* source,
                  size_t source_pitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream,
                  Blocking mode, const void* site) {
    return api(name, [&] {
        Box box;
        box.destination = to_address(destination);
        box.source = to_address(source);
        box.width = width;
        box.height = height;
        box.destination_pitch = destination_pitch;
        box.source_pitch = source_pitch;
        copy_box(box, kind, stream, mode, site);
    });
}

cudaError_t volume(const char* name, const cudaMemcpy3DParms* parameters, cudaStream_t stream, Blocking mode,
                   const void* site) {
    return api(name, [&] {
        if (!parameters)
            fail(cudaErrorInvalidValue);
        copy_box(graph::box_of(*parameters), parameters->kind, stream, mode, site);
    });
}

cudaError_t symbol(const char* name, const void* variable, void* host_to, const void* host_from, size_t bytes,
                   size_t offset, cudaMemcpyKind kind, cudaStream_t stream, Blocking mode, const void* site) {
    return api(name, [&] {
        const RegisteredVariable& found = Runtime::get().variable(variable);
        if (offset > found.bytes || bytes > found.bytes - offset)
            fail(cudaErrorInvalidValue, base::demangled(found.name) + " has " + std::to_string(found.bytes) +
                                            " bytes; the copy ends at byte " + std::to_string(offset + bytes));
        void* address = to_pointer(found.address + offset);
        copy_bytes(host_from ? address : host_to, host_from ? host_from : address, bytes, kind, stream, mode, site);
    });
}

} // namespace

Box graph::box_of(const cudaMemcpy3DParms& p) {
    if (p.srcArray || p.dstArray)
        fail(cudaErrorNotSupported, "CUDA arrays are not supported by the simulated device");
    const auto start = [](const cudaPitchedPtr& from, const cudaPos& at) {
        return to_address(from.ptr) + (at.z * from.ysize + at.y) * from.pitch + at.x;
    };
    Box box;
    box.destination = start(p.dstPtr, p.dstPos);
    box.source = start(p.srcPtr, p.srcPos);
    box.width = p.extent.width;
    box.height = p.extent.height;
    box.depth = p.extent.depth;
    box.destination_pitch = p.dstPtr.pitch;
    box.source_pitch = p.srcPtr.pitch;
    box.destination_slice = p.dstPtr.pitch * p.dstPtr.ysize;
    box.source_slice = p.srcPtr.pitch * p.srcPtr.ysize;
    return box;
}

// The call in the program: for reports about this copy.
#define HERE __builtin_return_address(0)

ASYNCLAB_API cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return linear("cudaMemcpy", to, from, bytes, kind, cudaStreamLegacy, blocking, HERE);
}
ASYNCLAB_API cudaError_t cudaMemcpy_ptds(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return linear("cudaMemcpy", to, from, bytes, kind, cudaStreamPerThread, blocking, HERE);
}
ASYNCLAB_API cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                         cudaStream_t stream) {
    return linear("cudaMemcpyAsync", to, from, bytes, kind, stream, queued, HERE);
}
ASYNCLAB_API cudaError_t cudaMemcpyAsync_ptsz(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                              cudaStream_t stream) {
    return linear("cudaMemcpyAsync", to, from, bytes, kind, per_thread(stream), queued, HERE);
}
ASYNCLAB_API cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes) {
    return linear("cudaMemcpyPeer", to, from, bytes, cudaMemcpyDeviceToDevice, cudaStreamLegacy, blocking, HERE);
}
ASYNCLAB_API cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes, cudaStream_t stream) {
    return linear("cudaMemcpyPeerAsync", to, from, bytes, cudaMemcpyDeviceToDevice, stream, queued, HERE);
}

ASYNCLAB_API cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                      size_t height, cudaMemcpyKind kind) {
    return plane("cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind, cudaStreamLegacy, blocking, HERE);
}
ASYNCLAB_API cudaError_t cudaMemcpy2D_ptds(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                           size_t height, cudaMemcpyKind kind) {
    return plane("cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind, cudaStreamPerThread, blocking,
                 HERE);
}
ASYNCLAB_API cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                           size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return plane("cudaMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, kind, stream, queued, HERE);
}
ASYNCLAB_API cudaError_t cudaMemcpy2DAsync_ptsz(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                                size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return plane("cudaMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, kind, per_thread(stream), queued,
                 HERE);
}

ASYNCLAB_API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
    return volume("cudaMemcpy3D", p, cudaStreamLegacy, blocking, HERE);
}
ASYNCLAB_API cudaError_t cudaMemcpy3D_ptds(const cudaMemcpy3DParms* p) {
    return volume("cudaMemcpy3D", p, cudaStreamPerThread, blocking, HERE);
}
ASYNCLAB_API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
    return volume("cudaMemcpy3DAsync", p, stream, queued, HERE);
}
ASYNCLAB_API cudaError_t cudaMemcpy3DAsync_ptsz(const cudaMemcpy3DParms* p, cudaStream_t stream) {
    return volume("cudaMemcpy3DAsync", p, per_thread(stream), queued, HERE);
}

ASYNCLAB_API cudaError_t cudaMemcpyToSymbol(const void* to, const void* from, size_t bytes, size_t offset,
                                            cudaMemcpyKind kind) {
    return symbol("cudaMemcpyToSymbol", to, nullptr, from, bytes, offset, kind, cudaStreamLegacy, blocking, HERE);
}
ASYNCLAB_API cudaError_t cudaMemcpyToSymbol_ptds(const void* to, const void* from, size_t bytes, size_t offset,
                                                 cudaMemcpyKind kind) {
    return symbol("cudaMemcpyToSymbol", to, nullptr, from, bytes, offset, kind, cudaStreamPerThread, blocking, HERE);
}
ASYNCLAB_API cudaError_t cudaMemcpyToSymbolAsync(const void* to, const void* from, size_t bytes, size_t offset,
                                                 cudaMemcpyKind kind, cudaStream_t stream) {
    return symbol("cudaMemcpyToSymbolAsync", to, nullptr, from, bytes, offset, kind, stream, queued, HERE);
}
ASYNCLAB_API cudaError_t cudaMemcpyToSymbolAsync_ptsz(const void* to, const void* from, size_t bytes, size_t offset,
                                                      cudaMemcpyKind kind, cudaStream_t stream) {
    return symbol("cudaMemcpyToSymbolAsync", to, nullptr, from, bytes, offset, kind, per_thread(stream), queued, HERE);
}
ASYNCLAB_API cudaError_t cudaMemcpyFromSymbol(void* to, const void* from, size_t bytes, size_t offset,
                                              cudaMemcpyKind kind) {
    return symbol("cudaMemcpyFromSymbol", from, to, nullptr, bytes, offset, kind, cudaStreamLegacy, blocking, HERE);
}
ASYNCLAB_API cudaError_t cudaMemcpyFromSymbol_ptds(void* to, const void* from, size_t bytes, size_t offset,
                                                   cudaMemcpyKind kind) {
    return symbol("cudaMemcpyFromSymbol", from, to, nullptr, bytes, offset, kind, cudaStreamPerThread, blocking, HERE);
}
ASYNCLAB_API cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* from, size_t bytes, size_t offset,
                                                   cudaMemcpyKind kind, cudaStream_t stream) {
    return symbol("cudaMemcpyFromSymbolAsync", from, to, nullptr, bytes, offset, kind, stream, queued, HERE);
}
ASYNCLAB_API cudaError_t cudaMemcpyFromSymbolAsync_ptsz(void* to, const void* from, size_t bytes, size_t offset,
                                                        cudaMemcpyKind kind, cudaStream_t stream) {
    return symbol("cudaMemcpyFromSymbolAsync", from, to, nullptr, bytes, offset, kind, per_thread(stream), queued,
                  HERE);
}
#undef HERE

ASYNCLAB_API cudaError_t cudaGetSymbolAddress(void** result, const void* variable) {
    return api("cudaGetSymbolAddress", [&] { *result = to_pointer(Runtime::get().variable(variable).address); });
}
ASYNCLAB_API cudaError_t cudaGetSymbolSize(size_t* result, const void* variable) {
    return api("cudaGetSymbolSize", [&] { *result = Runtime::get().variable(variable).bytes; });
}
