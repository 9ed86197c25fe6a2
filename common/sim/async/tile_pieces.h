// The pieces of a tile: what tile and im2col copies share.
#pragma once

#include <algorithm>

#include "sim/async/tensor_map.h"

namespace sim::async {

/// Adds `bytes` bytes that are contiguous in global memory and begin at `from` in shared memory before the swizzle.
inline void add(std::vector<TileBytes>& pieces, const TensorMap& map, uint64_t address, uint32_t from, uint32_t bytes,
                bool inside) {
    const uint32_t unit = map.swizzle_unit();
    while (bytes) {
        const uint32_t run = map.swizzle == Swizzle::none ? bytes : std::min(bytes, unit - from % unit);
        pieces.push_back({address, swizzled(map.swizzle, from, map.atom), run, inside});
        address += run;
        from += run;
        bytes -= run;
    }
}

/// Adds `count` elements that are parts of a byte, sixteen at a time, from element `first` on of the row that begins at
/// `base`. What pads them in shared memory is not written.
inline void add_packed(std::vector<TileBytes>& pieces, const TensorMap& map, uint64_t base, int64_t first,
                       uint32_t count, uint32_t offset, bool inside) {
    const Packing packed = packing(map.type);
    for (uint32_t group = 0; group < count / 16; ++group) {
        const int64_t at = first / 16 + group;
        const bool there = inside && at >= 0 && uint64_t(at) * 16 < map.dim[0];
        add(pieces, map, there ? base + uint64_t(at) * packed.global : 0, offset + group * packed.shared, packed.global,
            there);
    }
}

} // namespace sim::async
