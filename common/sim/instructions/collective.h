// Shared parts of a warp's .sync instructions.
#pragma once

#include "sim/instructions/operands.h"

namespace sim::instructions {

/// Lanes `outside` execute a .sync instruction whose mask does not name them: undefined, so the launch stops.
Flow not_in_own_mask(Exec& x, const Op& op, const uint32_t* members, uint32_t outside);
/// The instruction's mask comes from activemask (mask_of_the_moment): says so.
void report_mask_of_the_moment(Exec& x, const Op& op);

/// Executes a .sync instruction: `run(member)`, with x.mask narrowed to the lanes that name the same members, once all
/// of them are here. `members` is the lanes' member mask; groups of a partition come together, each with a mask of its
/// own.
template <class Run>
Flow collective(Exec& x, const Op& op, const uint32_t* members, Run&& run) {
    const uint32_t mask = x.mask, alive = x.warp.alive();
    const uint32_t leader = members[std::countr_zero(mask)];
    uint32_t first = 0;
    for_lanes(mask, [&](int lane) { first |= uint32_t(members[lane] == leader) << lane; });
    if (op.flags & machine::mask_of_the_moment) [[unlikely]]
        report_mask_of_the_moment(x, op);
    if (first == mask) { // as nearly always
        if (const uint32_t outside = mask & ~leader) [[unlikely]]
            return not_in_own_mask(x, op, members, outside);
        if (!gather(x, op, leader))
            return Flow::block;
        run(leader & alive);
        return Flow::next;
    }
    uint32_t outside = 0;
    for_lanes(mask, [&](int lane) { outside |= ~members[lane] & 1u << lane; });
    if (outside)
        return not_in_own_mask(x, op, members, outside);
    uint32_t groups[32], count = 0;
    bool complete = true;
    for (uint32_t rest = mask; rest; rest &= ~groups[count - 1]) {
        const uint32_t member = members[std::countr_zero(rest)];
        uint32_t same = 0;
        for_lanes(rest, [&](int lane) { same |= uint32_t(members[lane] == member) << lane; });
        groups[count++] = same;
        complete = complete && (member & alive & ~same) == 0;
    }
    if (complete) {
        x.fragment().wait = {};
        for (uint32_t i = 0; i < count; ++i) {
            x.mask = groups[i];
            run(members[std::countr_zero(groups[i])] & alive);
        }
        x.mask = mask;
        return Flow::next;
    }
    // One group at a time: the others wait for their members by themselves.
    const uint32_t pc = x.fragment().pc;
    x.warp.split(x.fragment_index, mask & ~first, pc);
    x.mask = first;
    if (!gather(x, op, leader))
        return Flow::block;
    run(leader & alive);
    x.fragment().pc = pc + 1;
    return Flow::branch;
}

/// The lanes have met, which orders nothing but is worth knowing.
inline void rendezvous(Exec& x) {
    if (x.listener)
        x.listener->warp_rendezvous(x.warp, x.mask);
}

} // namespace sim::instructions
