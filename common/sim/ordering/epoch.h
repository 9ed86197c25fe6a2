// Who did an access, and when, in 64 bits: kind(3) block(26) warp(5) lane(5) tick(25).
// `block` numbers blocks over all launches and host operations; `tick` counts the warp's release operations, or, for
// cp.async, its operations in issue order.
#pragma once

#include <cstdint>

namespace sim::hazards {

using Epoch = uint64_t;

enum class EpochKind : uint8_t {
    none = 0,   ///< never accessed
    plain = 1,  ///< ordinary access
    strong = 2, ///< atomic, volatile, relaxed, acquire or release access
    copy = 3,   ///< cp.async: its write, or its read of the source
    async = 4,  ///< bulk operation; the low 60 bits are its number; map_read_flag
    host = 5,   ///< host operation
    set = 6,    ///< several readers; the low 32 bits number an interned set
    old = 7,    ///< ordered before everything that can still run
};

inline constexpr unsigned tick_bits = 25, lane_shift = 25, warp_shift = 30, block_shift = 35, kind_shift = 61;
inline constexpr uint32_t max_tick = (1u << tick_bits) - 1;
inline constexpr uint64_t lane_field = uint64_t{31} << lane_shift;
inline constexpr uint64_t thread_field = ((uint64_t{1} << (kind_shift - lane_shift)) - 1) << lane_shift;
inline constexpr uint64_t max_block = (uint64_t{1} << (kind_shift - block_shift)) - 1;

constexpr Epoch make_epoch(EpochKind kind, uint64_t block, uint32_t warp, uint32_t lane, uint32_t tick) {
    return uint64_t(kind) << kind_shift | block << block_shift | uint64_t{warp} << warp_shift |
           uint64_t{lane} << lane_shift | (tick & ((1u << tick_bits) - 1));
}
constexpr EpochKind kind_of(Epoch e) {
    return EpochKind(e >> kind_shift);
}
constexpr uint64_t block_of(Epoch e) {
    return e >> block_shift & max_block;
}
constexpr uint32_t warp_of(Epoch e) {
    return uint32_t(e >> warp_shift & 31);
}
constexpr uint32_t lane_of(Epoch e) {
    return uint32_t(e >> lane_shift & 31);
}
constexpr uint32_t tick_of(Epoch e) {
    return uint32_t(e & ((1u << tick_bits) - 1));
}
/// Is it an access of a lane, which the lane field names?
constexpr bool has_lane(Epoch e) {
    return kind_of(e) == EpochKind::plain || kind_of(e) == EpochKind::strong || kind_of(e) == EpochKind::copy;
}
/// In the number of a bulk operation: not its reading of the source, but that of its tensor map.
inline constexpr Epoch map_read_flag = Epoch{1} << (kind_shift - 1);
constexpr bool reads_map(Epoch e) {
    return kind_of(e) == EpochKind::async && (e & map_read_flag);
}
constexpr uint64_t number_of(Epoch e) {
    return e & (map_read_flag - 1);
}

} // namespace sim::hazards
