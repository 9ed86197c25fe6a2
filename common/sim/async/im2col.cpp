// The bytes of an im2col copy (PTX ISA, "Im2col mode").
#include "sim/async/tile_pieces.h"

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
    const Packing packed = packing(map.type);
    return map.interleave != Interleave::none ? map.unit()
           : packed.shared                    ? map.channels_per_pixel / 16 * packed.shared
                                              : map.channels_per_pixel * map.unit();
}

constexpr uint32_t wide_column = 128, wide_part = 32; // pixels of im2col::w::128, and those that have a halo each

/// The channels of one pixel, which begins at `base`. `channel`: the first one.
void add_pixel(std::vector<TileBytes>& pieces, const TensorMap& map, uint64_t base, int64_t channel, uint32_t offset,
               bool inside, bool to_global) {
    const uint32_t element = map.unit(), row_bytes = pixel_bytes(map);
    const bool interleaved = map.interleave != Interleave::none;
    if (packing(map.type).shared) {
        add_packed(pieces, map, base, channel, map.channels_per_pixel, offset, inside);
        return;
    }
    // In bytes of a pixel; stores write whole pieces of 16.
    const int64_t begin = interleaved ? 0 : channel * element, end = begin + row_bytes;
    int64_t channel_end = interleaved ? row_bytes : int64_t(map.dim[0]) * element;
    if (to_global)
        channel_end = (channel_end + 15) / 16 * 16;
    const int64_t low = std::clamp<int64_t>(0, begin, end), high = std::clamp<int64_t>(channel_end, low, end);
    if (!inside || low >= high) {
        add(pieces, map, 0, offset, row_bytes, false);
        return;
    }
    add(pieces, map, 0, offset, uint32_t(low - begin), false);
    add(pieces, map, base + uint64_t(low), offset + uint32_t(low - begin), uint32_t(high - low), true);
    add(pieces, map, 0, offset + uint32_t(high - begin), uint32_t(end - high), false);
}

} // namespace

uint64_t TensorMap::im2col_bytes(LoadMode mode, uint32_t halo) const {
    const uint64_t pixels = mode == LoadMode::im2col_w128 ? wide_column + wide_column / wide_part * halo
                            : mode == LoadMode::im2col_w  ? pixels_per_column + halo
                                                          : pixels_per_column;
    return pixel_bytes(*this) * pixels;
}

std::string outside_pixel_box(const TensorMap& map, LoadMode mode, std::span<const int32_t> coordinates) {
    const Dimensions where(map);
    const bool wide = mode != LoadMode::im2col; // the box is one pixel high, and the copy may start to the left of it
    for (uint32_t d = 0; d < (wide ? 1 : where.spatial); ++d) {
        const int64_t at = coordinates[where.first + d], first = map.lower_corner[d],
                      last = last_pixel(map, where.first + d, d);
        if ((at < first && !wide) || at > last)
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
    const uint32_t element = map.unit(), pitch = map.pitch(pixel_bytes(map));
    const bool interleaved = map.interleave != Interleave::none;
    const auto stride = [&](uint32_t dimension) { return dimension ? map.stride[dimension - 1] : element; };
    std::array<int64_t, 3> at{};
    for (uint32_t d = 0; d < where.spatial; ++d)
        at[d] = coordinates[where.first + d];
    int64_t image = coordinates[where.images];
    const int64_t channel = coordinates[where.channels];
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
        add_pixel(pieces, map, base, channel, shared + pixel * pitch, inside, to_global);
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

std::vector<TileBytes> im2col_w_tile(const TensorMap& map, LoadMode mode, std::span<const int32_t> coordinates,
                                     uint32_t halo, int32_t offset, uint32_t shared) {
    std::vector<TileBytes> pieces;
    const Dimensions where(map);
    const uint32_t pitch = map.pitch(pixel_bytes(map)), w = where.first;
    const bool interleaved = map.interleave != Interleave::none;
    const uint32_t column = mode == LoadMode::im2col_w128 ? wide_column : map.pixels_per_column;
    const uint32_t part = mode == LoadMode::im2col_w128 ? wide_part : column;
    const auto stride = [&](uint32_t dimension) { return dimension ? map.stride[dimension - 1] : map.unit(); };
    const int64_t channel = coordinates[where.channels], step = map.element_stride[w];
    const int64_t first = map.lower_corner[0] + offset, last = last_pixel(map, w, 0) + offset;
    int64_t image = coordinates[where.images], at = coordinates[w] + int64_t{offset};
    uint32_t place = 0;
    const auto add_at = [&](int64_t position) {
        uint64_t base = map.address + uint64_t(image) * stride(where.images) + uint64_t(position) * stride(w);
        bool inside =
            image >= 0 && uint64_t(image) < map.dim[where.images] && position >= 0 && uint64_t(position) < map.dim[w];
        for (uint32_t d = 1; d < where.spatial; ++d) {
            const int64_t fixed = coordinates[where.first + d];
            inside = inside && fixed >= 0 && uint64_t(fixed) < map.dim[where.first + d];
            base += uint64_t(fixed) * stride(where.first + d);
        }
        if (interleaved) {
            base += uint64_t(channel) * stride(where.channels);
            inside = inside && channel >= 0 && uint64_t(channel) < map.dim[where.channels];
        }
        add_pixel(pieces, map, base, channel, shared + place++ * pitch, inside, false);
    };
    for (uint32_t pixel = 1; pixel <= column; ++pixel) {
        add_at(at);
        for (uint32_t i = 1; pixel % part == 0 && i <= halo; ++i)
            add_at(at + i * step);
        at += step;
        if (at > last) {
            at = first;
            ++image;
        }
    }
    return pieces;
}

} // namespace sim::async
