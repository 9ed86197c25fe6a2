// Checks that both devices make before they carry out a command.
#pragma once

#include <algorithm>
#include <string>

#include "sim/cuda/device/dispatch.h"

namespace sim::cuda {

/// No size or pitch is larger, so sums and products of three cannot overflow.
constexpr uint64_t max_size = uint64_t{1} << 41;

inline bool in_host_range(uint64_t address) {
    return address >= host_base && address - host_base < host_bytes;
}

inline std::string text_of(Payload payload) {
    return {reinterpret_cast<const char*>(payload.data()), payload.size()};
}

/// Bytes from the first to behind the last byte of a box of rows; 0 for an impossible one.
inline uint64_t extent(uint64_t width, uint64_t height, uint64_t depth, uint64_t pitch, uint64_t slice) {
    if (!width || !height || !depth || std::max({width, height, depth, pitch, slice}) > max_size)
        return 0;
    if (height > 1 && (pitch < width || height - 1 > max_size / pitch))
        return 0;
    if (depth > 1 && (slice == 0 || depth - 1 > max_size / slice))
        return 0;
    return (depth - 1) * slice + (height - 1) * pitch + width;
}

/// Calls `row(destination, source)` for each row, in order, until it returns false.
template <typename Row>
void each_row(const Copy& copy, Row row) {
    for (uint64_t z = 0; z < copy.depth; ++z)
        for (uint64_t y = 0; y < copy.height; ++y)
            if (!row(copy.destination + z * copy.destination_slice + y * copy.destination_pitch,
                     copy.source + z * copy.source_slice + y * copy.source_pitch))
                return;
}

/// Throws Refused unless `valid(address, bytes)` holds for all that a copy reads and for all that it writes.
template <typename Valid>
void check_sides(const Copy& copy, Valid valid) {
    const auto check = [&](uint64_t address, uint64_t pitch, uint64_t slice, const char* which) {
        const uint64_t bytes = extent(copy.width, copy.height, copy.depth, pitch, slice);
        if (!bytes || !valid(address, bytes))
            throw Refused{error::invalid_value, std::string("the ") + which + " of a copy of " + std::to_string(bytes) +
                                                    " bytes is not inside one allocation"};
    };
    check(copy.destination, copy.destination_pitch, copy.destination_slice, "destination");
    check(copy.source, copy.source_pitch, copy.source_slice, "source");
}

/// Bytes from the first to behind the last one that is set; throws Refused for an impossible command.
inline uint64_t extent(const Fill& fill) {
    if (fill.element_bytes != 1 && fill.element_bytes != 2 && fill.element_bytes != 4)
        throw Refused{error::invalid_value, "elements of 1, 2 or 4 bytes can be set"};
    const uint64_t width = fill.count > max_size ? 0 : fill.count * fill.element_bytes;
    const uint64_t bytes = extent(width, fill.height, 1, fill.pitch, 0);
    if (!bytes || fill.destination % fill.element_bytes)
        throw Refused{error::invalid_value, "the destination of a set is not inside one allocation"};
    return bytes;
}

} // namespace sim::cuda
