// Tensor maps on the host. Source: CUDA driver API, "Tensor Map Object Management".
#include <cstring>

#include <cuda.h>
#include <dlfcn.h>

#include "sim/async/tensor_map.h"
#include "sim/cuda/program/runtime.h"
#include "sim/cuda/program/session.h"

using sim::cuda::EncodeMap;

namespace {

// Where the drop-in libcuda.so.1 stands beside the runtime's, each has this code, but only one of them has the
// connection to the device: this function in the runtime, if it is another one.
template <typename Function>
Function* in_the_runtime(const char* name, Function* here) {
    using Get = cudaError_t(const char*, void**, unsigned, unsigned long long, cudaDriverEntryPointQueryResult*);
    void* function = nullptr;
    cudaDriverEntryPointQueryResult status{};
    if (auto* get = reinterpret_cast<Get*>(dlsym(RTLD_DEFAULT, "cudaGetDriverEntryPointByVersion")))
        get(name, &function, CUDART_VERSION, cudaEnableDefault, &status);
    return function == reinterpret_cast<void*>(here) ? nullptr : reinterpret_cast<Function*>(function);
}

// The parameters are good: on a real GPU the map is its driver's, not ours.
CUresult made(CUtensorMap* map, const EncodeMap& parameters, std::string_view before = {}) {
    if (!sim::cuda::Session::get().real_device())
        return CUDA_SUCCESS;
    try {
        const sim::cuda::Reply reply = sim::cuda::Runtime::get().call(parameters, before);
        if (reply.payload.size() != sizeof *map)
            return CUDA_ERROR_INVALID_VALUE;
        std::memcpy(map, reply.payload.data(), sizeof *map);
        return CUDA_SUCCESS;
    } catch (const sim::cuda::Failure& failure) {
        return static_cast<CUresult>(failure.code);
    }
}

template <typename To, typename From>
void take(To& to, const From* from, cuuint32_t count) {
    for (cuuint32_t i = 0; from && i < count && i < std::size(to); ++i)
        to[i] = from[i];
}

uint32_t device_sm() {
    try {
        return sim::cuda::Runtime::get().architecture();
    } catch (const sim::cuda::Failure&) { // there is no device: the map can be made nevertheless
        return 90;
    }
}

CUresult refuse(const char* function, const std::string& why) {
    return static_cast<CUresult>(sim::cuda::failed(function, {cudaErrorInvalidValue, why, {}}));
}

} // namespace

ASYNCLAB_API CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                             const cuuint64_t* dim, const cuuint64_t* stride, const cuuint32_t* box,
                                             const cuuint32_t* element_stride, CUtensorMapInterleave interleave,
                                             CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                             CUtensorMapFloatOOBfill fill) {
    if (const auto other = in_the_runtime("cuTensorMapEncodeTiled", &cuTensorMapEncodeTiled))
        return other(map, type, rank, address, dim, stride, box, element_stride, interleave, swizzle, promotion, fill);
    const std::string why = sim::async::encode_tiled(
        {map, static_cast<uint32_t>(type), rank, reinterpret_cast<uint64_t>(address), dim, stride, box, element_stride,
         static_cast<uint32_t>(interleave), static_cast<uint32_t>(swizzle), static_cast<uint32_t>(promotion),
         static_cast<uint32_t>(fill), device_sm()});
    if (!why.empty())
        return refuse("cuTensorMapEncodeTiled", why);
    EncodeMap all{};
    all.kind = EncodeMap::Kind::tiled;
    all.type = static_cast<uint32_t>(type);
    all.rank = rank;
    all.interleave = static_cast<uint32_t>(interleave);
    all.swizzle = static_cast<uint32_t>(swizzle);
    all.l2_promotion = static_cast<uint32_t>(promotion);
    all.fill = static_cast<uint32_t>(fill);
    all.address = reinterpret_cast<uint64_t>(address);
    take(all.dim, dim, rank);
    take(all.stride, stride, rank - 1);
    take(all.box, box, rank);
    take(all.element_stride, element_stride, rank);
    return made(map, all);
}

ASYNCLAB_API CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
    if (const auto other = in_the_runtime("cuTensorMapReplaceAddress", &cuTensorMapReplaceAddress))
        return other(map, address);
    if (!map || reinterpret_cast<uint64_t>(map) % alignof(CUtensorMap) || !address ||
        reinterpret_cast<uint64_t>(address) % 16)
        return refuse("cuTensorMapReplaceAddress", "the map must be aligned to 64 bytes and the address to 16 bytes");
    if (sim::cuda::Session::get().real_device()) {
        EncodeMap all{};
        all.kind = EncodeMap::Kind::replace_address;
        all.address = reinterpret_cast<uint64_t>(address);
        return made(map, all, {reinterpret_cast<const char*>(map), sizeof *map});
    }
    std::array<std::byte, 128> bytes;
    std::memcpy(bytes.data(), map, sizeof bytes);
    sim::async::TensorMap changed = sim::async::TensorMap::unpack(bytes);
    changed.address = reinterpret_cast<uint64_t>(address);
    bytes = changed.pack();
    std::memcpy(map, bytes.data(), sizeof bytes);
    return CUDA_SUCCESS;
}

ASYNCLAB_API CUresult cuTensorMapEncodeIm2colWide(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                                  void* address, const cuuint64_t* dim, const cuuint64_t* stride,
                                                  int lower, int upper, cuuint32_t channels, cuuint32_t pixels,
                                                  const cuuint32_t* element_stride, CUtensorMapInterleave interleave,
                                                  CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle,
                                                  CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    if (const auto other = in_the_runtime("cuTensorMapEncodeIm2colWide", &cuTensorMapEncodeIm2colWide))
        return other(map, type, rank, address, dim, stride, lower, upper, channels, pixels, element_stride, interleave,
                     mode, swizzle, promotion, fill);
    constexpr const char* name = "cuTensorMapEncodeIm2colWide";
    if (sim::cuda::Session::get().real_device())
        return refuse(name, "asynclab does not pass it on to a real GPU");
    if (mode != CU_TENSOR_MAP_IM2COL_WIDE_MODE_W && mode != CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128)
        return refuse(name, "mode is not a CUtensorMapIm2ColWideMode");
    const std::string why = sim::async::encode_im2col(
        {map, static_cast<uint32_t>(type), rank, reinterpret_cast<uint64_t>(address), dim, stride, &lower, &upper,
         channels, pixels, element_stride, static_cast<uint32_t>(interleave), static_cast<uint32_t>(swizzle),
         static_cast<uint32_t>(promotion), static_cast<uint32_t>(fill), device_sm(),
         mode == CU_TENSOR_MAP_IM2COL_WIDE_MODE_W ? sim::async::LoadMode::im2col_w
                                                  : sim::async::LoadMode::im2col_w128});
    return why.empty() ? CUDA_SUCCESS : refuse(name, why);
}

ASYNCLAB_API CUresult cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                              void* address, const cuuint64_t* dim, const cuuint64_t* stride,
                                              const int* lower, const int* upper, cuuint32_t channels,
                                              cuuint32_t pixels, const cuuint32_t* element_stride,
                                              CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                              CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    if (const auto other = in_the_runtime("cuTensorMapEncodeIm2col", &cuTensorMapEncodeIm2col))
        return other(map, type, rank, address, dim, stride, lower, upper, channels, pixels, element_stride, interleave,
                     swizzle, promotion, fill);
    const std::string why = sim::async::encode_im2col(
        {map, static_cast<uint32_t>(type), rank, reinterpret_cast<uint64_t>(address), dim, stride, lower, upper,
         channels, pixels, element_stride, static_cast<uint32_t>(interleave), static_cast<uint32_t>(swizzle),
         static_cast<uint32_t>(promotion), static_cast<uint32_t>(fill), device_sm()});
    if (!why.empty())
        return refuse("cuTensorMapEncodeIm2col", why);
    EncodeMap all{};
    all.kind = EncodeMap::Kind::im2col;
    all.type = static_cast<uint32_t>(type);
    all.rank = rank;
    all.interleave = static_cast<uint32_t>(interleave);
    all.swizzle = static_cast<uint32_t>(swizzle);
    all.l2_promotion = static_cast<uint32_t>(promotion);
    all.fill = static_cast<uint32_t>(fill);
    all.channels = channels;
    all.pixels = pixels;
    all.address = reinterpret_cast<uint64_t>(address);
    take(all.dim, dim, rank);
    take(all.stride, stride, rank - 1);
    take(all.element_stride, element_stride, rank);
    take(all.lower, lower, rank - 2);
    take(all.upper, upper, rank - 2);
    return made(map, all);
}
