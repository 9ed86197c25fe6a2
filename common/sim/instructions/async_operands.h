// Shared by the instructions of the asynchronous family: modifiers of mbarrier operations, lanes grouped by barrier.
#pragma once

#include "sim/async/engine.h"
#include "sim/instructions/operands.h"

namespace sim::instructions {

/// Calls f(block, offset, lanes) for each mbarrier that lanes of x.mask name through op.address. False: a fault.
template <class F>
bool for_barriers(Exec& x, const Op& op, const AddressRef& ref, F&& f) {
    const uint32_t all = x.mask;
    uint64_t raw[32];
    x.addresses(ref, raw);
    for (uint32_t rest = all; rest;) {
        const uint64_t first = raw[std::countr_zero(rest)];
        uint32_t same = 0;
        for (uint32_t lane = 0; lane < 32; ++lane)
            same |= uint32_t(raw[lane] == first) << lane;
        same &= rest;
        rest &= ~same;
        x.mask = same;
        Resolved where;
        const bool good =
            locate(x, op, ref, 8, 8, Direction::load, where) &&
            (where.shared || x.fail(Fault::illegal_instruction, "an mbarrier lies in shared memory") == Flow::next);
        x.mask = all;
        if (!good || !f(*where.target, uint32_t(where.address[std::countr_zero(same)]), same))
            return false;
    }
    return true;
}

inline async::Mbarriers& barriers_of(Block& block) {
    return async::Engine::of(block).barriers();
}

/// `.sem` of an mbarrier operation: release unless it says relaxed.
inline bool is_ordering(const Decoder& d) {
    return d.value(".sem") != ".relaxed";
}

/// The shared space of an mbarrier operand; generic when the opcode names none.
inline AddressRef barrier_address(Decoder& d, size_t i) {
    return d.address(i, d.space(".space"));
}

} // namespace sim::instructions
