// The timing model: all of its parameters. The unit is the modelled cycle; docs/timeline.md explains each of them.
#pragma once

#include <cstdint>

namespace sim::timeline {

struct Model {
    uint32_t schedulers = 4;     ///< of an SM; warp w issues through scheduler w % schedulers, an instruction per cycle
    uint32_t issue_interval = 5; ///< from one instruction of a warp to its next
    uint32_t copy_issue = 4;     ///< a warp's cp.async, of any size; or a cycle for each line of 128 bytes, if more
    uint32_t latency = 690;      ///< from a request's turn at the memory pipe to its last byte
    uint32_t cached = 39;        ///< of a load from what the block has loaded before
    uint32_t bytes_per_cycle = 12; ///< of the memory pipe, an SM's share of the bandwidth
    uint32_t barrier = 20;         ///< from the last arrival at a barrier to the first instruction behind it
    uint32_t quantum = 16;         ///< instructions that a warp issues before others have their turn
};

} // namespace sim::timeline
