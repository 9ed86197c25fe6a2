#include "sim/async/tensor_map.h"

#include <algorithm>
#include <cstring>

namespace sim::async {
namespace {

/// The object's layout is ours; extents are stored minus one, so that zero bytes are a valid map.
struct Image {
    uint64_t address;
    uint8_t rank_minus_one, type, interleave, swizzle, fill, l2_promotion, im2col, type_replaced;
    uint32_t dim_minus_one[5];
    uint32_t padding;
    uint64_t stride[4];
    uint8_t box_minus_one[5], element_stride_minus_one[5];
    int16_t lower_corner[3], upper_corner[3];
    uint16_t channels_minus_one, pixels_minus_one;
    uint8_t address_replaced, atom, wide;
    uint8_t rest[19];
};
constexpr size_t seal_at = 120;
static_assert(sizeof(Image) <= seal_at);

/// A number that the bytes before it must have: programs may copy a map, but not change its bytes.
uint64_t seal_of(const std::byte* bytes) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < seal_at; ++i)
        hash = (hash ^ uint64_t(bytes[i])) * 0x100000001b3;
    return hash | 1;
}

} // namespace

Packing packing(ElementType type) {
    switch (type) {
    case ElementType::b4x16:
        return {8, 8};
    case ElementType::b4x16_p64:
        return {8, 16};
    case ElementType::b6x16_p32:
        return {12, 16};
    default:
        return {};
    }
}

uint32_t element_bytes(ElementType type) {
    switch (type) {
    case ElementType::u8:
    case ElementType::b4x16:
    case ElementType::b4x16_p64:
    case ElementType::b6x16_p32:
        return 1;
    case ElementType::u16:
    case ElementType::f16:
    case ElementType::bf16:
        return 2;
    case ElementType::u64:
    case ElementType::s64:
    case ElementType::f64:
        return 8;
    default:
        return 4;
    }
}

bool is_floating(ElementType type) {
    return type >= ElementType::f16 && type <= ElementType::tf32_ftz;
}

std::array<std::byte, 128> TensorMap::pack() const {
    Image image{};
    image.address = address;
    image.rank_minus_one = uint8_t(rank - 1);
    image.type = uint8_t(type);
    image.interleave = uint8_t(interleave);
    image.swizzle = uint8_t(swizzle);
    image.fill = uint8_t(fill);
    image.l2_promotion = l2_promotion;
    image.im2col = im2col;
    image.type_replaced = type_replaced;
    image.address_replaced = address_replaced;
    image.atom = uint8_t(atom);
    image.wide = uint8_t(wide) - uint8_t(LoadMode::im2col);
    for (size_t d = 0; d < 5; ++d) {
        image.dim_minus_one[d] = uint32_t(dim[d] - 1);
        image.box_minus_one[d] = uint8_t(box[d] - 1);
        image.element_stride_minus_one[d] = uint8_t(element_stride[d] - 1);
    }
    std::copy(stride.begin(), stride.end(), image.stride);
    std::copy(lower_corner.begin(), lower_corner.end(), image.lower_corner);
    std::copy(upper_corner.begin(), upper_corner.end(), image.upper_corner);
    image.channels_minus_one = uint16_t(channels_per_pixel - 1);
    image.pixels_minus_one = uint16_t(pixels_per_column - 1);
    std::array<std::byte, 128> bytes{};
    std::memcpy(bytes.data(), &image, sizeof image);
    const uint64_t seal = changed ? 0 : seal_of(bytes.data());
    std::memcpy(bytes.data() + seal_at, &seal, sizeof seal);
    return bytes;
}

TensorMap TensorMap::unpack(std::span<const std::byte, 128> bytes) {
    Image image;
    std::memcpy(&image, bytes.data(), sizeof image);
    TensorMap map;
    map.address = image.address;
    map.rank = std::min<uint32_t>(image.rank_minus_one, 254) + 1;
    map.type = ElementType(image.type % uint8_t(ElementType::count));
    map.interleave = Interleave(image.interleave % 3);
    map.swizzle = Swizzle(image.swizzle % 5);
    map.atom = Atom(image.atom % 4);
    map.wide = LoadMode(uint8_t(LoadMode::im2col) + image.wide % 3);
    map.fill = Fill(image.fill % 2);
    map.l2_promotion = image.l2_promotion;
    map.im2col = image.im2col;
    map.type_replaced = image.type_replaced;
    map.address_replaced = image.address_replaced;
    uint64_t seal;
    std::memcpy(&seal, bytes.data() + seal_at, sizeof seal);
    map.changed = seal != seal_of(bytes.data()) &&
                  !std::all_of(bytes.begin(), bytes.end(), [](std::byte one) { return one == std::byte{}; });
    for (size_t d = 0; d < 5; ++d) {
        map.dim[d] = uint64_t{image.dim_minus_one[d]} + 1;
        map.box[d] = uint32_t{image.box_minus_one[d]} + 1;
        map.element_stride[d] = uint32_t{image.element_stride_minus_one[d]} + 1;
    }
    std::copy(std::begin(image.stride), std::end(image.stride), map.stride.begin());
    std::copy(std::begin(image.lower_corner), std::end(image.lower_corner), map.lower_corner.begin());
    std::copy(std::begin(image.upper_corner), std::end(image.upper_corner), map.upper_corner.begin());
    map.channels_per_pixel = uint32_t{image.channels_minus_one} + 1;
    map.pixels_per_column = uint32_t{image.pixels_minus_one} + 1;
    return map;
}

uint32_t TensorMap::extent(uint32_t d) const {
    if (interleave != Interleave::none && d + 2 == rank)
        return 1;
    const uint32_t step = d == 0 && interleave == Interleave::none ? 1 : element_stride[d];
    return (box[d] + step - 1) / step;
}

uint32_t TensorMap::unit() const {
    return interleave == Interleave::none ? element_bytes(type) : 16 * uint32_t(interleave);
}

uint32_t TensorMap::pitch(uint32_t bytes) const {
    return swizzle == Swizzle::none || interleave != Interleave::none ? bytes : swizzle_span();
}

uint32_t TensorMap::swizzle_span() const {
    return swizzle == Swizzle::none ? 0 : swizzle == Swizzle::span96 ? 96 : 16u << uint32_t(swizzle);
}

uint32_t TensorMap::swizzle_period() const {
    return swizzle == Swizzle::span96 ? 256 : 8 * swizzle_span();
}

uint64_t TensorMap::tile_bytes() const {
    uint64_t bytes = unit();
    for (uint32_t d = 0; d < rank && d < 5; ++d)
        bytes *= extent(d);
    const Packing packed = packing(type);
    return packed.shared ? bytes / 16 * packed.shared : bytes;
}

uint64_t TensorMap::copy_bytes(LoadMode mode, uint32_t halo) const {
    return is_im2col(mode) ? im2col_bytes(mode, halo) : mode == LoadMode::four_rows ? 4 * tile_bytes() : tile_bytes();
}

bool TensorMap::is_newer() const {
    return packing(type).shared || swizzle == Swizzle::span96 || atom != Atom::bytes16 || wide != LoadMode::im2col;
}

uint32_t swizzled(Swizzle swizzle, uint32_t address, Atom atom) {
    switch (swizzle) {
    case Swizzle::span32:
    case Swizzle::span96:
        return address ^ (address >> 3 & 0x10);
    case Swizzle::span64:
        return address ^ (address >> 3 & 0x30);
    case Swizzle::span128:
        switch (atom) {
        case Atom::bytes32:
            return address ^ (address >> 2 & 0x60);
        case Atom::bytes32_flip8:
            return address ^ (address >> 2 & 0x60) ^ (address >> 4 & 0x8);
        case Atom::bytes64:
            return address ^ (address >> 1 & 0x40);
        default:
            return address ^ (address >> 3 & 0x70);
        }
    default:
        return address;
    }
}

} // namespace sim::async
