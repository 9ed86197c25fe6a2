// Which barriers behave alike in every order.
//
// An operation on a barrier belongs to a phase. If everything that an operation must come after, in whatever order the
// warps run, includes the completion of the phase before, and the next phase cannot complete without what comes after
// it, then no order moves the operation to another phase. If that holds for all operations of a barrier, the barrier is
// *regular*, and one order says everything about it.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/protocol/record.h"

namespace sim::protocol {

struct Proof {
    std::vector<uint8_t> irregular; ///< by object
    std::vector<uint8_t> left_over; ///< by object: a named barrier with arrivals at the end of the run
    bool registers = false;         ///< some warp waits for registers
    bool understood = true;         ///< the model repeats what the device did
    bool regular() const;
};

Proof prove(const Record& record, const Actors& actors);

} // namespace sim::protocol
