// cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col: every documented rule, as a Hopper GPU's driver applies them.
#include "sim/async/tensor_map.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include <fmt/format.h>

namespace sim::async {
namespace {

constexpr uint64_t max_tile_bytes = 228 << 10;

// CUtensorMapDataType in the driver's order.
constexpr ElementType driver_types[] = {
    ElementType::u8,       ElementType::u16,   ElementType::u32,       ElementType::s32,
    ElementType::u64,      ElementType::s64,   ElementType::f16,       ElementType::f32,
    ElementType::f64,      ElementType::bf16,  ElementType::f32_ftz,   ElementType::tf32,
    ElementType::tf32_ftz, ElementType::b4x16, ElementType::b4x16_p64, ElementType::b6x16_p32};

// What both kinds of map are checked for. P: EncodeTiled or EncodeIm2col.
template <class P>
std::string common_rules(const P& p, TensorMap& map) {
    const auto type = driver_type(p.type);
    if (!type || (packing(*type).shared && p.sm < 100))
        return "tensorDataType is not a CUtensorMapDataType of this device";
    if (p.interleave > 2)
        return "interleave is not a CUtensorMapInterleave";
    if (p.swizzle > (p.sm < 100 ? 3 : 6))
        return fmt::format("swizzle is not a CUtensorMapSwizzle that sm_{} has", p.sm);
    if (p.l2_promotion > 3)
        return "l2Promotion is not a CUtensorMapL2promotion";
    if (p.fill > 1)
        return "oobFill is not a CUtensorMapFloatOOBfill";
    map.type = *type;
    map.interleave = Interleave(p.interleave);
    map.swizzle = Swizzle(std::min(p.swizzle, 3u)); // the rest are 128 bytes with larger atoms
    map.atom = p.swizzle > 3 ? Atom(p.swizzle - 3) : Atom::bytes16;
    map.fill = Fill(p.fill);
    map.l2_promotion = uint8_t(p.l2_promotion);
    map.address = p.address;
    map.rank = p.rank;
    const bool padded = packing(map.type).padded(), by32 = map.interleave == Interleave::bytes32 || padded;
    if (p.address % (by32 ? 32 : 16))
        return padded ? "globalAddress must be a multiple of 32 with a padded tensorDataType"
               : by32 ? "globalAddress must be a multiple of 32 with INTERLEAVE_32B"
                      : "globalAddress must be a multiple of 16";
    if (map.fill == Fill::nan && !is_floating(map.type))
        return "NaN fill needs a floating-point tensorDataType";
    for (uint32_t d = 0; d < p.rank; ++d) {
        if (p.dim[d] < 1 || p.dim[d] > uint64_t{1} << 32)
            return "globalDim must be between 1 and 2^32";
        if (p.element_stride[d] < 1 || p.element_stride[d] > 8)
            return "elementStrides must be between 1 and 8";
        map.dim[d] = p.dim[d];
        map.element_stride[d] = p.element_stride[d];
    }
    if (padded && p.dim[0] % 128)
        return "globalDim[0] must be a multiple of 128 with a padded tensorDataType";
    if (map.type == ElementType::b4x16 && p.dim[0] % 2)
        return "globalDim[0] must be a multiple of 2 with 4-bit elements";
    if (padded && (p.interleave || (p.swizzle && p.swizzle != 3 && p.swizzle != 4 && p.swizzle != 6)))
        return "a padded tensorDataType has no interleaved layout, and no swizzle or one of 128 bytes without a flip";
    for (uint32_t d = 0; d + 1 < p.rank; ++d) {
        if (p.stride[d] % (by32 ? 32 : 16))
            return padded ? "globalStrides must be multiples of 32 with a padded tensorDataType"
                   : by32 ? "globalStrides must be multiples of 32 with INTERLEAVE_32B"
                          : "globalStrides must be multiples of 16";
        if (p.stride[d] >= uint64_t{1} << 40)
            return "globalStrides must be less than 2^40";
        map.stride[d] = p.stride[d];
    }
    return {};
}

/// Bytes that `elements` elements of a row take in shared memory.
uint64_t row_bytes(const TensorMap& map, uint64_t elements) {
    const Packing packed = packing(map.type);
    return packed.shared ? elements * packed.shared / 16 : elements * element_bytes(map.type);
}

// The inner bytes of a box, and all of it. `what` is the parameter with the number of elements in a row.
std::string box_rules(const TensorMap& map, uint64_t inner, uint64_t bytes, std::string_view what) {
    const uint64_t span = map.swizzle_span();
    if (inner % 16)
        return fmt::format("{} times the element size must be a multiple of 16 bytes", what);
    if (map.interleave == Interleave::none && span && inner > span)
        return fmt::format("{} times the element size must not exceed the swizzle's span (32, 64 or 128 bytes)", what);
    if (bytes > max_tile_bytes)
        return "the box is larger than 228 KiB";
    return {};
}

void store(const TensorMap& map, void* into) {
    const auto bytes = map.pack();
    std::memcpy(into, bytes.data(), bytes.size());
}

} // namespace

std::optional<ElementType> driver_type(uint32_t number) {
    return number < std::size(driver_types) ? std::optional(driver_types[number]) : std::nullopt;
}

std::string encode_tiled(const EncodeTiled& p) {
    if (!p.map || !p.dim || !p.stride || !p.box || !p.element_stride)
        return "a pointer (map, globalDim, globalStrides, boxDim or elementStrides) is null";
    if (p.rank < 1 || p.rank > 5)
        return "tensorRank must be between 1 and 5";
    if (p.interleave && p.rank < 3)
        return "an interleaved layout needs a tensorRank of at least 3";
    TensorMap map;
    if (std::string why = common_rules(p, map); !why.empty())
        return why;
    for (uint32_t d = 0; d < p.rank; ++d) {
        if (p.box[d] < 1 || p.box[d] > 256)
            return "boxDim must be between 1 and 256";
        map.box[d] = p.box[d];
    }
    const uint64_t inner = row_bytes(map, p.box[0]);
    if (packing(map.type).padded() && p.box[0] != 128)
        return "boxDim[0] must be 128 with a padded tensorDataType";
    if (std::string why = box_rules(map, inner, map.tile_bytes(), "boxDim[0]"); !why.empty())
        return why;
    store(map, p.map);
    return {};
}

std::string encode_im2col(const EncodeIm2col& p) {
    if (!p.map || !p.dim || !p.stride || !p.lower || !p.upper || !p.element_stride)
        return "a pointer (map, globalDim, globalStrides, pixelBoxLowerCorner, "
               "pixelBoxUpperCorner or elementStrides) is null";
    if (p.rank < 3 || p.rank > 5)
        return "tensorRank must be between 3 and 5";
    TensorMap map;
    map.im2col = true;
    map.wide = p.mode;
    const bool wide = p.mode != LoadMode::im2col;
    if (wide && p.sm < 100)
        return fmt::format(
            "cuTensorMapEncodeIm2colWide needs a device of compute capability 10.0; this one is an sm_{}", p.sm);
    if (wide && (p.swizzle < 2 || p.swizzle > 4))
        return "an im2col::w map needs SWIZZLE_64B, SWIZZLE_128B or SWIZZLE_128B_ATOM_32B";
    if (std::string why = common_rules(p, map); !why.empty())
        return why;
    const int most = wide || p.rank == 3 ? 32767 : p.rank == 4 ? 127 : 15; // 16, 2 times 8, 3 times 5 bits
    for (uint32_t d = 0; d < (wide ? 1 : p.rank - 2); ++d) {
        const int lower = p.lower[d], upper = p.upper[d];
        if (lower > most || lower < -most - 1 || upper > most || upper < -most - 1)
            return fmt::format("the corners of the pixel box must be between {} and {} if tensorRank is {}", -most - 1,
                               most, p.rank);
        const uint32_t dimension = map.interleave == Interleave::none ? d + 1 : d;
        if (int64_t(p.dim[dimension]) - 1 + upper < lower)
            return "the pixel box is empty: its upper corner, counted from "
                   "the end of the tensor, comes before its lower corner";
        map.lower_corner[d] = int16_t(lower);
        map.upper_corner[d] = int16_t(upper);
    }
    if (p.channels < 1 || p.channels > 256)
        return "channelsPerPixel must be between 1 and 256";
    if (p.mode != LoadMode::im2col_w128 && (p.pixels < 1 || p.pixels > 1024))
        return "pixelsPerColumn must be between 1 and 1024";
    map.channels_per_pixel = p.channels;
    map.pixels_per_column = p.mode == LoadMode::im2col_w128 ? 128 : p.pixels;
    const uint64_t inner = row_bytes(map, p.channels);
    if (packing(map.type).padded() && p.channels != 128)
        return "channelsPerPixel must be 128 with a padded tensorDataType";
    if (std::string why = box_rules(map, inner, map.im2col_bytes(p.mode), "channelsPerPixel"); !why.empty())
        return why;
    store(map, p.map);
    return {};
}

} // namespace sim::async
