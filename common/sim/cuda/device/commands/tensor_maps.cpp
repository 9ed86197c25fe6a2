// Tensor maps on the host.
#include <cstring>

#include "sim/cuda/device/gpu/real_gpu.h"
#include "sim/cuda/device/service.h"

namespace sim::cuda {

template <>
void Service::carry_out(const EncodeMap&, Payload, Reply&) {
    throw Refused{error::not_supported, "the simulated device's maps are made in the program"};
}

template <>
void RealGpu::carry_out(const EncodeMap& encode, Payload payload, Reply& reply) {
    CUtensorMap map{};
    void* const address = reinterpret_cast<void*>(encode.address);
    const auto type = static_cast<CUtensorMapDataType>(encode.type);
    const auto interleave = static_cast<CUtensorMapInterleave>(encode.interleave);
    const auto swizzle = static_cast<CUtensorMapSwizzle>(encode.swizzle);
    const auto promotion = static_cast<CUtensorMapL2promotion>(encode.l2_promotion);
    const auto fill = static_cast<CUtensorMapFloatOOBfill>(encode.fill);
    if (encode.rank > 5)
        throw Refused{error::invalid_value, "a tensor has at most five dimensions"};
    switch (encode.kind) {
    case EncodeMap::Kind::tiled:
        checked(cu_.cuTensorMapEncodeTiled(&map, type, encode.rank, address, encode.dim, encode.stride, encode.box,
                                           encode.element_stride, interleave, swizzle, promotion, fill),
                "cuTensorMapEncodeTiled");
        break;
    case EncodeMap::Kind::im2col:
        checked(cu_.cuTensorMapEncodeIm2col(&map, type, encode.rank, address, encode.dim, encode.stride, encode.lower,
                                            encode.upper, encode.channels, encode.pixels, encode.element_stride,
                                            interleave, swizzle, promotion, fill),
                "cuTensorMapEncodeIm2col");
        break;
    case EncodeMap::Kind::replace_address:
        if (payload.size() != sizeof map)
            throw Refused{error::invalid_value, "no tensor map"};
        std::memcpy(&map, payload.data(), sizeof map);
        checked(cu_.cuTensorMapReplaceAddress(&map, address), "cuTensorMapReplaceAddress");
        break;
    default:
        throw Refused{error::invalid_value, "unknown kind of map"};
    }
    reply.payload.assign(reinterpret_cast<const char*>(&map), sizeof map);
}

} // namespace sim::cuda
