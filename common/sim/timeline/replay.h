// From what happened to when: replays a recording through the timing model.
#pragma once

#include <vector>

#include "sim/timeline/model.h"
#include "sim/timeline/recording.h"

namespace sim::timeline {

/// A stretch of a warp's time.
struct Span {
    enum class Kind : uint8_t {
        compute, ///< instructions are issued, wait for their turn, or for shared memory
        load,    ///< waits for a load from global memory
        wait,    ///< waits for Recording::joins[join]
    };
    Kind kind = Kind::compute;
    uint32_t warp = 0;
    uint64_t begin = 0, end = 0;
    uint32_t place = none, join = none;
    bool operator==(const Span&) const = default;
};

/// One of Recording::copies, or Recording::operations.
struct Flight {
    uint32_t copy = 0;
    uint64_t issued = 0, landed = 0;
    uint64_t observed = 0;    ///< end of the first wait that covers it; 0: there was none
    uint32_t observer = none; ///< the warp that waited
    bool operator==(const Flight&) const = default;
};

struct Timeline {
    uint64_t cycles = 0;
    std::vector<Span> spans; ///< of each warp in order of time
    std::vector<Flight> flights;
    std::vector<Flight> operations; ///< of tensor cores, from issue to completion
    uint64_t tensor_busy = 0;       ///< cycles in which the tensor core works
};

enum class Copies : uint8_t {
    asynchronous,
    awaited, ///< at their issue: the warp that issues a copy or a group goes on when it has landed
};

Timeline replay(const Recording& recording, const Model& model = {}, Copies copies = Copies::asynchronous);

} // namespace sim::timeline
