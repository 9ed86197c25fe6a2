// cuTensorMapEncodeTiled: every documented rule, as an H100's driver applies them.
#include "sim/async/tensor_map.h"

#include <cstring>
#include <iterator>

namespace sim::async {
namespace {

constexpr uint64_t max_tile_bytes = 232448; // shared memory that a block of sm_90 can have

// CUtensorMapDataType in the driver's order.
constexpr ElementType driver_types[] = {
    ElementType::u8,  ElementType::u16, ElementType::u32,  ElementType::s32,     ElementType::u64,  ElementType::s64,    ElementType::f16,
    ElementType::f32, ElementType::f64, ElementType::bf16, ElementType::f32_ftz, ElementType::tf32, ElementType::tf32_ftz};

} // namespace

std::optional<ElementType> driver_type(uint32_t number) {
    return number < std::size(driver_types) ? std::optional(driver_types[number]) : std::nullopt;
}

std::string encode_tiled(const EncodeTiled& p) {
    if (!p.map || !p.dim || !p.stride || !p.box || !p.element_stride)
        return "a pointer (map, globalDim, globalStrides, boxDim or elementStrides) is null";
    if (reinterpret_cast<uintptr_t>(p.map) % 16)
        return "the map must be aligned (64 bytes)";
    const auto type = driver_type(p.type);
    if (!type)
        return "tensorDataType is not a CUtensorMapDataType of this device";
    if (p.interleave > 2)
        return "interleave is not a CUtensorMapInterleave";
    if (p.swizzle > 3)
        return "swizzle is not a CUtensorMapSwizzle that sm_90 has";
    if (p.l2_promotion > 3)
        return "l2Promotion is not a CUtensorMapL2promotion";
    if (p.fill > 1)
        return "oobFill is not a CUtensorMapFloatOOBfill";
    TensorMap map;
    map.type = *type;
    map.interleave = Interleave(p.interleave);
    map.swizzle = Swizzle(p.swizzle);
    map.fill = Fill(p.fill);
    map.l2_promotion = uint8_t(p.l2_promotion);
    map.address = p.address;
    if (p.rank < 1 || p.rank > 5)
        return "tensorRank must be 1 to 5";
    map.rank = p.rank;
    const bool interleaved = map.interleave != Interleave::none;
    const bool by32 = map.interleave == Interleave::bytes32;
    if (interleaved && p.rank < 3)
        return "interleaved layouts need a tensorRank of at least 3";
    if (p.address % (by32 ? 32 : 16))
        return by32 ? "globalAddress must be a multiple of 32 with INTERLEAVE_32B" : "globalAddress must be a multiple of 16";
    if (map.fill == Fill::nan && !is_floating(map.type))
        return "NaN fill needs a floating-point tensorDataType";
    const uint32_t element = element_bytes(map.type);
    for (uint32_t d = 0; d < p.rank; ++d) {
        if (p.dim[d] < 1 || p.dim[d] > uint64_t{1} << 32)
            return "globalDim must be 1 to 2^32";
        if (p.box[d] < 1 || p.box[d] > 256)
            return "boxDim must be 1 to 256";
        if (p.element_stride[d] < 1 || p.element_stride[d] > 8)
            return "elementStrides must be 1 to 8";
        map.dim[d] = p.dim[d];
        map.box[d] = p.box[d];
        map.element_stride[d] = p.element_stride[d];
    }
    for (uint32_t d = 0; d + 1 < p.rank; ++d) {
        if (p.stride[d] % (by32 ? 32 : 16))
            return by32 ? "globalStrides must be multiples of 32 with INTERLEAVE_32B" : "globalStrides must be multiples of 16";
        if (p.stride[d] >= uint64_t{1} << 40)
            return "globalStrides must be less than 2^40";
        map.stride[d] = p.stride[d];
    }
    const uint64_t inner = uint64_t{p.box[0]} * element;
    if (!interleaved) {
        if (inner % 16)
            return "boxDim[0] times the element size must be a multiple of 16 bytes";
        const uint64_t span = map.swizzle == Swizzle::none ? 0 : 16u << uint32_t(map.swizzle);
        if (span && inner > span)
            return "boxDim[0] times the element size must not exceed the swizzle's span (32, 64 or 128 bytes)";
    }
    if (map.tile_bytes() > max_tile_bytes)
        return "the box is larger than the shared memory of a block";
    const auto bytes = map.pack();
    std::memcpy(p.map, bytes.data(), bytes.size());
    return {};
}

} // namespace sim::async
