// The conditions of a copy on a tensor map, and the words of reports about one.
#include "sim/async/tensor_map.h"

#include <cstring>

#include <fmt/format.h>

namespace sim::async {

std::string_view name(ElementType type) {
    constexpr std::string_view names[] = {"u8",          "u16",   "u32",        "s32",      "u64",  "s64",
                                          "f16",         "f32",   "f32 (.ftz)", "f64",      "bf16", "tf32",
                                          "tf32 (.ftz)", "b4x16", "b4x16_p64",  "b6x16_p32"};
    return type < ElementType::count ? names[size_t(type)] : "?";
}

std::optional<TensorMap> with_driver_type(const TensorMap& map) {
    const auto driver = driver_type(uint32_t(map.type));
    if (!map.type_replaced || !driver || element_bytes(*driver) == element_bytes(map.type))
        return std::nullopt;
    TensorMap other = map;
    other.type = *driver;
    return other;
}

std::string type_remark(const TensorMap& map) {
    const auto number = uint32_t(map.type);
    const auto driver = driver_type(number);
    if (!map.type_replaced || !driver || driver == map.type)
        return {};
    return fmt::format("tensormap.replace has set the map's .elemtype to {}, which means {} in PTX. "
                       "In the driver's CUtensorMapDataType, which PTX does not use, {} means {}.",
                       number, name(map.type), number, name(*driver));
}

std::string describe(const TensorMap& map) {
    std::string text;
    if (map.im2col) {
        text = fmt::format("im2col, {} pixels of {} channels", map.pixels_per_column, map.channels_per_pixel);
    } else {
        text = "box ";
        for (uint32_t d = 0; d < map.rank && d < 5; ++d)
            text += fmt::format("{}{}", d ? " x " : "", map.box[d]);
    }
    text += fmt::format(" of {}", name(map.type));
    if (map.swizzle != Swizzle::none)
        text += fmt::format(", {}-byte swizzle", map.swizzle_span());
    constexpr std::string_view atoms[] = {"", " of 32-byte atoms", " of 32-byte atoms with an 8-byte flip",
                                          " of 64-byte atoms"};
    text += atoms[size_t(map.atom)];
    return text;
}

namespace {

/// PTX ISA, "Restriction on Tensor Copy instructions".
std::string unusable_newer(const TensorMap& map, LoadMode mode) {
    if (map.atom != Atom::bytes16 && map.swizzle != Swizzle::span128)
        return "only a 128-byte swizzle has atoms of more than 16 bytes";
    if (map.swizzle == Swizzle::span96 && (map.interleave != Interleave::none || mode == LoadMode::im2col_w128))
        return "the 96-byte swizzle is neither for interleaved layouts nor for im2col::w::128";
    const Packing packed = packing(map.type);
    if (!packed.padded())
        return {};
    if (const uint32_t inner = is_im2col(mode) ? map.channels_per_pixel : map.box[0]; inner != 128)
        return fmt::format("it has {} elements of {} in a row, which must be 128", inner, name(map.type));
    if (map.dim[0] % 128)
        return fmt::format("dimension 0 has {} elements of {}, which must be a multiple of 128", map.dim[0],
                           name(map.type));
    if (map.swizzle != Swizzle::none && (map.swizzle != Swizzle::span128 || map.atom == Atom::bytes32_flip8))
        return fmt::format("elements of {} have no swizzle or one of 128 bytes without a flip", name(map.type));
    return {};
}

std::string_view mode_name(LoadMode mode) {
    constexpr std::string_view names[] = {"tiles", "tiles", "im2col", "im2col::w", "im2col::w::128"};
    return names[size_t(mode)];
}

} // namespace

std::string unusable(const TensorMap& map, LoadMode mode) {
    const bool im2col = is_im2col(mode);
    if (map.changed)
        return "some of its 128 bytes have been changed by an ordinary write; a map is opaque: copy it as a whole, and "
               "change it with cuTensorMapReplaceAddress on the host or tensormap.replace on the device";
    if (map.rank < 1 || map.rank > 5)
        return fmt::format("its rank is {}", map.rank);
    if (map.im2col != im2col)
        return map.im2col ? "it was encoded for im2col, and the copy is a tile copy"
                          : "it was encoded for tiles, and the copy is an im2col copy";
    if (im2col && map.wide != mode)
        return fmt::format("it was encoded for {}, and the copy is an {} copy", mode_name(map.wide), mode_name(mode));
    if (mode == LoadMode::four_rows && map.box[1] != 1)
        return fmt::format(
            "its box has {} rows, and a gather4 or scatter4 copy needs 1: it takes four boxes of a row each",
            map.box[1]);
    if (mode == LoadMode::four_rows && map.interleave != Interleave::none)
        return "gather4 and scatter4 copies need a map without an interleaved layout";
    if (std::string why = unusable_newer(map, mode); !why.empty())
        return why;
    const uint32_t unit = map.interleave == Interleave::bytes32 || packing(map.type).padded() ? 32 : 16;
    if (map.address % unit)
        return fmt::format("its global address {:#x} is not a multiple of {}", map.address, unit);
    for (uint32_t d = 0; d + 1 < map.rank; ++d)
        if (map.stride[d] % unit)
            return fmt::format("the stride of dimension {} is {} bytes, which is not a multiple of {}", d + 1,
                               map.stride[d], unit);
    for (uint32_t d = 0; d < map.rank; ++d)
        if (map.dim[d] > uint64_t{1} << 31)
            return fmt::format("dimension {} has {} elements, but coordinates end at 2^31", d, map.dim[d]);
    for (uint32_t d = 0; d < map.rank; ++d)
        if (map.element_stride[d] > 8)
            return fmt::format("the element stride of dimension {} is {}, but at most 8 is allowed", d,
                               map.element_stride[d]);
    if (map.fill == Fill::nan && !is_floating(map.type))
        return fmt::format("it fills out-of-bounds elements with NaN, but its element type is {}", name(map.type));
    if (map.interleave != Interleave::none)
        return {};
    const uint32_t elements = im2col ? map.channels_per_pixel : map.box[0];
    const Packing packed = packing(map.type);
    const uint32_t inner = packed.shared ? elements * packed.shared / 16 : elements * element_bytes(map.type);
    if (inner % 16)
        return fmt::format("its box has rows of {} bytes, which is not a multiple of 16", inner);
    if (map.swizzle != Swizzle::none && inner > map.swizzle_span())
        return fmt::format("its box has rows of {} bytes, more than the swizzle span of {}", inner, map.swizzle_span());
    return {};
}

std::array<std::byte, 16> TensorMap::fill_pattern() const {
    std::array<std::byte, 16> pattern{};
    if (fill == Fill::zeros)
        return pattern;
    pattern.fill(std::byte{0x7f}); // 0x7ff7 in every 16 bits, whatever the type (measured: docs/fidelity.md)
    for (size_t i = 0; i < pattern.size(); i += 2)
        pattern[i] = std::byte{0xf7};
    return pattern;
}

} // namespace sim::async
