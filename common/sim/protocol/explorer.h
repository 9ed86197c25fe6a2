// Goes through the orders of a record's operations in which something may go wrong.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "sim/protocol/world.h"

namespace sim::protocol {

struct Limits {
    uint64_t states = 2'000'000;
    std::chrono::steady_clock::time_point until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
};

/// An operation is executed, or what it has begun lands.
struct Step {
    uint32_t operation;
    bool lands;
};

struct Explored {
    Fault fault;     ///< the first that was found
    Fault left_over; ///< the first of this kind, which is milder
    std::vector<Step> with_left_over;
    std::vector<Step> order;       ///< that leads to it
    std::vector<Step> another;     ///< comes to the end, with arrivals in other phases than in the run
    bool mixes = false;            ///< another: and beside others than in the run
    std::vector<uint32_t> stuck;   ///< deadlock: where the actors are that have not ended
    std::vector<Barrier> barriers; ///< deadlock: as they are then
    std::vector<uint32_t> exited;  ///< the same: threads, by block
    uint64_t states = 0;
    bool all = true;       ///< every order was explored
    bool doubtful = false; ///< some ended in a state that the model may not know enough about
};

Explored explore(const Record& record, const Actors& actors, const std::vector<uint8_t>& irregular,
                 const Limits& limits);

} // namespace sim::protocol
