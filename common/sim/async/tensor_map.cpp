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
    uint8_t address_replaced;
    uint8_t rest[21];
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

uint32_t element_bytes(ElementType type) {
    switch (type) {
    case ElementType::u8:
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
    return type >= ElementType::f16 && type < ElementType::count;
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
    map.swizzle = Swizzle(image.swizzle % 4);
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
    return swizzle == Swizzle::none || interleave != Interleave::none ? bytes : 16u << uint32_t(swizzle);
}

uint64_t TensorMap::tile_bytes() const {
    uint64_t bytes = unit();
    for (uint32_t d = 0; d < rank && d < 5; ++d)
        bytes *= extent(d);
    return bytes;
}

uint32_t swizzled(Swizzle swizzle, uint32_t address) {
    switch (swizzle) {
    case Swizzle::span32:
        return address ^ (address >> 3 & 0x10);
    case Swizzle::span64:
        return address ^ (address >> 3 & 0x30);
    case Swizzle::span128:
        return address ^ (address >> 3 & 0x70);
    default:
        return address;
    }
}

std::vector<TileBytes> tile(const TensorMap& map, std::span<const int32_t> coordinates, uint32_t shared,
                            bool to_global) {
    std::vector<TileBytes> pieces;
    const uint32_t element = map.unit(), rank = std::min(map.rank, 5u);
    const uint32_t row_elements = map.extent(0), row_bytes = row_elements * element, pitch = map.pitch(row_bytes);
    const uint32_t step = map.interleave == Interleave::none ? 1 : map.element_stride[0];
    const uint64_t piece = to_global && element < 16 ? 16 / element : 1;
    const auto row_end = int64_t((map.dim[0] + piece - 1) / piece * piece);
    uint64_t rows = 1;
    for (uint32_t d = 1; d < rank; ++d)
        rows *= map.extent(d);
    auto add = [&](uint64_t address, uint32_t from, uint32_t bytes, bool inside) {
        while (bytes) { // a swizzled layout is contiguous in chunks of 16 bytes
            uint32_t run = bytes;
            if (map.swizzle != Swizzle::none)
                run = std::min(run, 16 - from % 16);
            pieces.push_back({address, swizzled(map.swizzle, from), run, inside});
            address += run;
            from += run;
            bytes -= run;
        }
    };
    for (uint64_t row = 0; row < rows; ++row) {
        uint64_t rest = row, base = map.address;
        bool inside = true;
        for (uint32_t d = 1; d < rank; ++d) {
            const int64_t at = coordinates[d] + int64_t(rest % map.extent(d)) * map.element_stride[d];
            rest /= map.extent(d);
            inside = inside && at >= 0 && at < int32_t(map.dim[d]); // of 2^31 elements, none is inside (measured)
            base += uint64_t(at) * map.stride[d - 1];
        }
        const uint32_t offset = shared + uint32_t(row) * pitch;
        if (step > 1) {
            for (uint32_t i = 0; i < row_elements; ++i) {
                const int64_t at = coordinates[0] + int64_t{i} * step;
                const bool there = inside && at >= 0 && uint64_t(at) < map.dim[0];
                add(there ? base + uint64_t(at) * element : 0, offset + i * element, element, there);
            }
            continue;
        }
        const int64_t first = coordinates[0], last = first + row_elements; // elements of the row
        const int64_t low = std::clamp<int64_t>(0, first, last);
        const int64_t high = std::clamp<int64_t>(row_end, low, last);
        if (!inside || low >= high) {
            add(0, offset, row_bytes, false);
            continue;
        }
        add(0, offset, uint32_t(low - first) * element, false);
        add(base + uint64_t(low) * element, offset + uint32_t(low - first) * element, uint32_t(high - low) * element,
            true);
        add(0, offset + uint32_t(high - first) * element, uint32_t(last - high) * element, false);
    }
    return pieces;
}

} // namespace sim::async
