// cudaMemset and its relatives.
#include "sim/cuda/program/capture.h"
#include "sim/cuda/program/copies.h"

using namespace sim::cuda;

namespace {

cudaError_t fill(const char* name, void* destination, size_t pitch, int value, size_t width, size_t height,
                 cudaStream_t stream, Blocking mode) {
    return api(name, [&] {
        Runtime& runtime = Runtime::get();
        const bool captured = mode == Blocking::asynchronous && capture::ongoing(stream);
        const uint64_t id = captured ? 0 : runtime.stream_id(stream);
        if (!width || !height)
            return;
        check_size(width);
        const AddressKind place = place_of(to_address(destination));
        if (place == AddressKind::pageable)
            fail(cudaErrorInvalidValue, "the destination is ordinary host memory: use memset");
        if (height > 1 && pitch < width)
            fail(cudaErrorInvalidPitchValue, "the pitch is smaller than the width (both are in bytes)");
        Fill body{id, to_address(destination), width, height, pitch, static_cast<uint32_t>(value & 0xFF), 1, 0};
        if (pitch == width) {
            body.count *= height;
            body.height = 1;
        }
        if (captured || mode == Blocking::asynchronous)
            return graph::put(stream, graph::FillWork{body});
        runtime.call(body);
        // "cudaMemset is asynchronous with respect to the host, except when the target is pinned host memory".
        if (mode == Blocking::synchronous && place == AddressKind::pinned)
            runtime.wait(Target::stream, id);
    });
}

cudaError_t fill_volume(const char* name, const cudaPitchedPtr& to, int value, const cudaExtent& extent,
                        cudaStream_t stream, Blocking mode) {
    cudaError_t result = cudaSuccess;
    for (size_t z = 0; z < extent.depth && result == cudaSuccess; ++z)
        result = fill(name, static_cast<char*>(to.ptr) + z * to.pitch * to.ysize, to.pitch, value, extent.width,
                      extent.height, stream, mode);
    return result;
}

} // namespace

ASYNCLAB_API cudaError_t cudaMemset(void* to, int value, size_t bytes) {
    return fill("cudaMemset", to, bytes, value, bytes, 1, cudaStreamLegacy, blocking);
}
ASYNCLAB_API cudaError_t cudaMemset_ptds(void* to, int value, size_t bytes) {
    return fill("cudaMemset", to, bytes, value, bytes, 1, cudaStreamPerThread, blocking);
}
ASYNCLAB_API cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
    return fill("cudaMemsetAsync", to, bytes, value, bytes, 1, stream, queued);
}
ASYNCLAB_API cudaError_t cudaMemsetAsync_ptsz(void* to, int value, size_t bytes, cudaStream_t stream) {
    return fill("cudaMemsetAsync", to, bytes, value, bytes, 1, per_thread(stream), queued);
}
ASYNCLAB_API cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
    return fill("cudaMemset2D", to, pitch, value, width, height, cudaStreamLegacy, blocking);
}
ASYNCLAB_API cudaError_t cudaMemset2D_ptds(void* to, size_t pitch, int value, size_t width, size_t height) {
    return fill("cudaMemset2D", to, pitch, value, width, height, cudaStreamPerThread, blocking);
}
ASYNCLAB_API cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                                           cudaStream_t stream) {
    return fill("cudaMemset2DAsync", to, pitch, value, width, height, stream, queued);
}
ASYNCLAB_API cudaError_t cudaMemset2DAsync_ptsz(void* to, size_t pitch, int value, size_t width, size_t height,
                                                cudaStream_t stream) {
    return fill("cudaMemset2DAsync", to, pitch, value, width, height, per_thread(stream), queued);
}
ASYNCLAB_API cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
    return fill_volume("cudaMemset3D", to, value, extent, cudaStreamLegacy, blocking);
}
ASYNCLAB_API cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
    return fill_volume("cudaMemset3DAsync", to, value, extent, stream, queued);
}

ASYNCLAB_API cudaError_t cudaMemset3D_ptds(cudaPitchedPtr to, int value, cudaExtent extent) {
    return fill_volume("cudaMemset3D", to, value, extent, cudaStreamPerThread, blocking);
}
ASYNCLAB_API cudaError_t cudaMemset3DAsync_ptsz(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
    return fill_volume("cudaMemset3DAsync", to, value, extent, per_thread(stream), queued);
}
