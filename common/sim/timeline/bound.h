// What keeps a block from being faster, in the model.
#pragma once

#include <string>

#include "sim/timeline/replay.h"

namespace sim::timeline {

struct Bound {
    enum class Limit : uint8_t {
        bandwidth, ///< the memory pipe is busy
        tensor,    ///< the tensor core is
        latency,   ///< too few bytes are in flight
        fill,      ///< of the latency, hardly more is left than that of the first copy
        issue,     ///< warps issue instructions
    };
    Limit limit = Limit::issue;
    double pipe = 0;          ///< the share of the time in which the memory pipe is busy
    double tensor = 0;        ///< that in which the tensor core is
    bool measured = true;     ///< are the parameters of the tensor core?
    double computing = 0;     ///< and that in which a warp computes
    uint64_t in_flight = 0;   ///< bytes, on average
    uint64_t needed = 0;      ///< that keep the memory pipe busy
    const char* name() const; ///< "bandwidth", "tensor", "latency", "issue"
    std::string why() const;  ///< in a sentence or two, with what would help
};

/// Bandwidth, if the memory pipe is busy nearly all the time, and likewise the tensor core. Otherwise the block is
/// replayed without latency, and with instructions that take hardly any time: what shortens it more is its bound.
Bound bound(const Recording& recording, const Model& model, const Timeline& own);

} // namespace sim::timeline
