// What the protocol check has explored.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/events/conductor.h"

namespace sim::protocol {

struct Summary {
    uint64_t operations = 0; ///< on barriers
    uint64_t states = 0;     ///< beyond one for each operation
    double seconds = 0;
    bool notable = false;                                 ///< on other barriers than that of the whole block
    std::shared_ptr<const events::ReplayedOrder> order{}; ///< to replay
    bool wrong = false;                                   ///< something goes wrong in that order
    bool deviates = false; ///< it goes well, but arrivals count for other phases than in the run
    std::string not_all{}; ///< why not every order was explored; empty: it was
    /// Of other launches, or of another run.
    void join(const Summary& other);
    /// "every order of 1200 barrier operations was explored"
    std::string text() const;
};

} // namespace sim::protocol
