// Tensor maps on the host. Source: CUDA driver API, "Tensor Map Object Management".
#include <cstring>

#include <cuda.h>

#include "sim/async/tensor_map.h"
#include "sim/cuda/session.h"

#define ASYNCLAB_API extern "C" __attribute__((visibility("default")))

namespace {

CUresult refuse(const char* function, const std::string& why) {
    sim::cuda::Session::get().say(std::string(function) + ": " + why);
    return CUDA_ERROR_INVALID_VALUE;
}

} // namespace

ASYNCLAB_API CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                             const cuuint64_t* dim, const cuuint64_t* stride, const cuuint32_t* box,
                                             const cuuint32_t* element_stride, CUtensorMapInterleave interleave,
                                             CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                             CUtensorMapFloatOOBfill fill) {
    const std::string why = sim::async::encode_tiled(
        {map, static_cast<uint32_t>(type), rank, reinterpret_cast<uint64_t>(address), dim, stride, box, element_stride,
         static_cast<uint32_t>(interleave), static_cast<uint32_t>(swizzle), static_cast<uint32_t>(promotion),
         static_cast<uint32_t>(fill)});
    return why.empty() ? CUDA_SUCCESS : refuse("cuTensorMapEncodeTiled", why);
}

ASYNCLAB_API CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
    if (!map || reinterpret_cast<uint64_t>(map) % alignof(CUtensorMap) || !address ||
        reinterpret_cast<uint64_t>(address) % 16)
        return refuse("cuTensorMapReplaceAddress", "the map must be aligned to 64 bytes and the address to 16 bytes");
    std::array<std::byte, 128> bytes;
    std::memcpy(bytes.data(), map, sizeof bytes);
    sim::async::TensorMap changed = sim::async::TensorMap::unpack(bytes);
    changed.address = reinterpret_cast<uint64_t>(address);
    bytes = changed.pack();
    std::memcpy(map, bytes.data(), sizeof bytes);
    return CUDA_SUCCESS;
}

ASYNCLAB_API CUresult cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                              void* address, const cuuint64_t* dim, const cuuint64_t* stride,
                                              const int* lower, const int* upper, cuuint32_t channels,
                                              cuuint32_t pixels, const cuuint32_t* element_stride,
                                              CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                              CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    const std::string why = sim::async::encode_im2col(
        {map, static_cast<uint32_t>(type), rank, reinterpret_cast<uint64_t>(address), dim, stride, lower, upper,
         channels, pixels, element_stride, static_cast<uint32_t>(interleave), static_cast<uint32_t>(swizzle),
         static_cast<uint32_t>(promotion), static_cast<uint32_t>(fill)});
    return why.empty() ? CUDA_SUCCESS : refuse("cuTensorMapEncodeIm2col", why);
}
