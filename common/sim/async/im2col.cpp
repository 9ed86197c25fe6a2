// The bytes of an im2col copy (PTX ISA, "Im2col mode").
#include "sim/async/tensor_map.h"

#include <algorithm>

#include <fmt/format.h>

namespace sim::async {
namespace {

/// The order of a map's dimensions: c, w, h, d, n, or, interleaved, w, h, d, slice of channels, n.
struct Dimensions {
    uint32_t spatial, first, channels, images;
    explicit Dimensions(const TensorMap& map) {
        const uint32_t rank = std::clamp(map.rank, 3u, 5u);
        const bool interleaved = map.interleave != Interleave::none;
        spatial = rank - 2;
        first = interleaved ? 0 : 1;
        channels = interleaved ? rank - 2 : 0;
        images = rank - 1;
    }
};

int64_t last_pixel(const TensorMap& map, uint32_t dimension, uint32_t d) {
    return int64_t(map.dim[dimension]) - 1 + map.upper_corner[d];
}

uint32_t pixel_bytes(const TensorMap& map) {
    return map.interleave == Interleave::none ? map.channels_per_pixel * map.unit() : map.unit();
}

} // namespace

uint64_t TensorMap::im2col_bytes() const {
    return uint64_t{pixel_bytes(*this)} * pixels_per_column;
}

std::string outside_pixel_box(const TensorMap& map, std::span<const int32_t> coordinates) {
    const Dimensions where(map);
    for (uint32_t d = 0; d < where.spatial; ++d) {
        const int64_t at = coordinates[where.first + d], first = map.lower_corner[d],
                      last = last_pixel(map, where.first + d, d);
        if (at < first || at > last)
            return fmt::format(
                "Coordinate {} is {}: an im2col copy starts inside the pixel box, which is {} to {} there.",
                where.first + d, at, first, last);
    }
    return {};
}

std::vector<TileBytes> im2col_tile(const TensorMap& map, std::span<const int32_t> coordinates,
                                   std::span<const int32_t> offsets, uint32_t shared, bool to_global) {
    std::vector<TileBytes> pieces;
    const Dimensions where(map);
    const uint32_t element = map.unit(), row_bytes = pixel_bytes(map), pitch = map.pitch(row_bytes);
    const bool interleaved = map.interleave != Interleave::none;
    const auto stride = [&](uint32_t dimension) { return dimension ? map.stride[dimension - 1] : element; };
    std::array<int64_t, 3> at{};
    for (uint32_t d = 0; d < where.spatial; ++d)
        at[d] = coordinates[where.first + d];
    int64_t image = coordinates[where.images];
    // In bytes of a pixel; stores write whole pieces of 16.
    const int64_t channel = coordinates[where.channels];
    const int64_t begin = interleaved ? 0 : channel * element, end = begin + row_bytes;
    int64_t channel_end = interleaved ? row_bytes : int64_t(map.dim[0]) * element;
    if (to_global)
        channel_end = (channel_end + 15) / 16 * 16;
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
        uint64_t base = map.address + uint64_t(image) * stride(where.images);
        bool inside = image >= 0 && uint64_t(image) < map.dim[where.images];
        if (interleaved) {
            base += uint64_t(channel) * stride(where.channels);
            inside = inside && channel >= 0 && uint64_t(channel) < map.dim[where.channels];
        }
        for (uint32_t d = 0; d < where.spatial; ++d) {
            const int64_t position = at[d] + offsets[d];
            inside = inside && position >= 0 && uint64_t(position) < map.dim[where.first + d];
            base += uint64_t(position) * stride(where.first + d);
        }
        const uint32_t offset = shared + pixel * pitch;
        const int64_t low = std::clamp<int64_t>(0, begin, end), high = std::clamp<int64_t>(channel_end, low, end);
        if (!inside || low >= high) {
            add(0, offset, row_bytes, false);
        } else {
            add(0, offset, uint32_t(low - begin), false);
            add(base + uint64_t(low), offset + uint32_t(low - begin), uint32_t(high - low), true);
            add(0, offset + uint32_t(high - begin), uint32_t(end - high), false);
        }
        uint32_t d = 0; // the next pixel: along w, then h, then d, then the next image
        for (; d < where.spatial; ++d) {
            at[d] += map.element_stride[where.first + d];
            if (at[d] <= last_pixel(map, where.first + d, d))
                break;
            at[d] = map.lower_corner[d];
        }
        image += d == where.spatial;
    }
    return pieces;
}

} // namespace sim::async
