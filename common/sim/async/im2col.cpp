// The bytes of an im2col load (PTX ISA, "Im2col mode").
#include "sim/async/tensor_map.h"

#include <algorithm>

namespace sim::async {

uint64_t TensorMap::im2col_bytes() const {
    return uint64_t{element_bytes(type)} * channels_per_pixel * pixels_per_column;
}

std::vector<TileBytes> im2col_tile(const TensorMap& map, std::span<const int32_t> coordinates,
                                   std::span<const int32_t> offsets, uint32_t shared) {
    std::vector<TileBytes> pieces;
    const uint32_t element = element_bytes(map.type), rank = std::min(map.rank, 5u), spatial = rank - 2;
    const uint32_t row_bytes = map.channels_per_pixel * element;
    std::array<int64_t, 3> at{}, first{}, last{}; // the bounding box, both ends included
    for (uint32_t d = 0; d < spatial; ++d) {
        at[d] = coordinates[d + 1];
        first[d] = map.lower_corner[d];
        last[d] = int64_t(map.dim[d + 1]) - 1 + map.upper_corner[d];
    }
    int64_t image = coordinates[rank - 1];
    auto add = [&](uint64_t address, uint32_t from, uint32_t bytes, bool inside) {
        while (bytes) {
            const uint32_t run = map.swizzle == Swizzle::none ? bytes : std::min(bytes, 16 - from % 16);
            pieces.push_back({address, swizzled(map.swizzle, from), run, inside});
            address += run;
            from += run;
            bytes -= run;
        }
    };
    for (uint32_t pixel = 0; pixel < map.pixels_per_column; ++pixel) {
        uint64_t base = map.address + uint64_t(image) * map.stride[rank - 2];
        bool inside = image >= 0 && uint64_t(image) < map.dim[rank - 1];
        for (uint32_t d = 0; d < spatial; ++d) {
            const int64_t position = at[d] + offsets[d];
            inside = inside && position >= 0 && uint64_t(position) < map.dim[d + 1];
            base += uint64_t(position) * map.stride[d];
        }
        const uint32_t offset = shared + pixel * row_bytes;
        const int64_t channel = coordinates[0], end = channel + map.channels_per_pixel;
        const int64_t low = std::clamp<int64_t>(0, channel, end);
        const int64_t high = std::clamp<int64_t>(int64_t(map.dim[0]), low, end);
        if (!inside || low >= high) {
            add(0, offset, row_bytes, false);
        } else {
            add(0, offset, uint32_t(low - channel) * element, false);
            add(base + uint64_t(low) * element, offset + uint32_t(low - channel) * element,
                uint32_t(high - low) * element, true);
            add(0, offset + uint32_t(high - channel) * element, uint32_t(end - high) * element, false);
        }
        uint32_t d = 0; // the next pixel: along w, then h, then d, then the next image
        for (; d < spatial; ++d) {
            at[d] += map.element_stride[d + 1];
            if (at[d] <= last[d])
                break;
            at[d] = first[d];
        }
        image += d == spatial;
    }
    return pieces;
}

} // namespace sim::async
