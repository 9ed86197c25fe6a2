// The bytes of a tile copy (PTX ISA, "Tiled mode", ".tile::scatter4 and .tile::gather4 modes", "Sub-byte types").
#include "sim/async/tile_pieces.h"

#include <algorithm>

namespace sim::async {
namespace {

/// One row of the tile: elements from `first` on of the row of the tensor that begins at `base`.
void add_row(std::vector<TileBytes>& pieces, const TensorMap& map, uint64_t base, int64_t first, uint32_t offset,
             bool inside, bool to_global) {
    const uint32_t element = map.unit(), elements = map.extent(0);
    const uint64_t piece = to_global && element < 16 ? 16 / element : 1;
    const auto row_end = int64_t((map.dim[0] + piece - 1) / piece * piece);
    const int64_t last = first + elements;
    const int64_t low = std::clamp<int64_t>(0, first, last), high = std::clamp<int64_t>(row_end, low, last);
    if (!inside || low >= high) {
        add(pieces, map, 0, offset, elements * element, false);
        return;
    }
    add(pieces, map, 0, offset, uint32_t(low - first) * element, false);
    add(pieces, map, base + uint64_t(low) * element, offset + uint32_t(low - first) * element,
        uint32_t(high - low) * element, true);
    add(pieces, map, 0, offset + uint32_t(high - first) * element, uint32_t(last - high) * element, false);
}

/// Elements of the row that are `step` apart.
void add_thinned_row(std::vector<TileBytes>& pieces, const TensorMap& map, uint64_t base, int64_t first,
                     uint32_t offset, bool inside) {
    const uint32_t element = map.unit(), step = map.element_stride[0];
    for (uint32_t i = 0; i < map.extent(0); ++i) {
        const int64_t at = first + int64_t{i} * step;
        const bool there = inside && at >= 0 && uint64_t(at) < map.dim[0];
        add(pieces, map, there ? base + uint64_t(at) * element : 0, offset + i * element, element, there);
    }
}

void add_any_row(std::vector<TileBytes>& pieces, const TensorMap& map, uint64_t base, int64_t first, uint32_t offset,
                 bool inside, bool to_global) {
    if (packing(map.type).shared)
        add_packed(pieces, map, base, first, map.extent(0), offset, inside);
    else if (map.interleave != Interleave::none && map.element_stride[0] > 1)
        add_thinned_row(pieces, map, base, first, offset, inside);
    else
        add_row(pieces, map, base, first, offset, inside, to_global);
}

uint32_t row_pitch(const TensorMap& map) {
    const Packing packed = packing(map.type);
    return map.pitch(packed.shared ? map.extent(0) / 16 * packed.shared : map.extent(0) * map.unit());
}

} // namespace

std::vector<TileBytes> tile(const TensorMap& map, std::span<const int32_t> coordinates, uint32_t shared,
                            bool to_global) {
    std::vector<TileBytes> pieces;
    const uint32_t rank = std::min(map.rank, 5u), pitch = row_pitch(map);
    uint64_t rows = 1;
    for (uint32_t d = 1; d < rank; ++d)
        rows *= map.extent(d);
    for (uint64_t row = 0; row < rows; ++row) {
        uint64_t rest = row, base = map.address;
        bool inside = true;
        for (uint32_t d = 1; d < rank; ++d) {
            const int64_t at = coordinates[d] + int64_t(rest % map.extent(d)) * map.element_stride[d];
            rest /= map.extent(d);
            inside = inside && at >= 0 && at < int32_t(map.dim[d]); // of 2^31 elements, none is inside (measured)
            base += uint64_t(at) * map.stride[d - 1];
        }
        add_any_row(pieces, map, base, coordinates[0], shared + uint32_t(row) * pitch, inside, to_global);
    }
    return pieces;
}

std::vector<TileBytes> four_rows(const TensorMap& map, std::span<const int32_t> coordinates, uint32_t shared,
                                 bool to_global) {
    std::vector<TileBytes> pieces;
    const uint32_t pitch = row_pitch(map);
    for (uint32_t row = 0; row < 4; ++row) {
        const int64_t at = coordinates[1 + row];
        const bool inside = at >= 0 && at < int32_t(map.dim[1]);
        add_any_row(pieces, map, map.address + uint64_t(at) * map.stride[0], coordinates[0], shared + row * pitch,
                    inside, to_global);
    }
    return pieces;
}

} // namespace sim::async
