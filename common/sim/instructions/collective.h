// Shared parts of a warp's .sync instructions.
#pragma once

#include "sim/instructions/operands.h"

namespace sim::instructions {

/// Lanes `outside` execute a .sync instruction whose mask does not name them: undefined, so the launch stops.
Flow not_in_own_mask(Exec& x, const Op& op, const uint32_t* members, uint32_t outside);
/// The instruction's mask comes from activemask (mask_of_the_moment): says so.
void report_mask_of_the_moment(Exec& x, const Op& op);

/// `group` of the lanes `all` that execute the instruction now has a mask of its own, and lacks lanes that it names:
/// says so if those are here with another mask, and will not come again.
void report_other_mask(Exec& x, const Op& op, const uint32_t* members, uint32_t group, uint32_t all);

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
    uint32_t groups[32], count = 0, complete = 0;
    for (uint32_t rest = mask; rest;) {
        const uint32_t member = members[std::countr_zero(rest)];
        uint32_t same = 0;
        for_lanes(rest, [&](int lane) { same |= uint32_t(members[lane] == member) << lane; });
        rest &= ~same;
        groups[count++] = same;
        if ((member & alive & ~same) == 0)
            std::swap(groups[complete++], groups[count - 1]);
    }
    if (complete == count) {
        x.fragment().wait = {};
        for (uint32_t i = 0; i < count; ++i) {
            x.mask = groups[i];
            run(members[std::countr_zero(groups[i])] & alive);
        }
        x.mask = mask;
        return Flow::next;
    }
    for (uint32_t i = complete; i < count; ++i)
        report_other_mask(x, op, members, groups[i], mask);
    const uint32_t pc = x.fragment().pc, member = members[std::countr_zero(groups[0])];
    x.mask = groups[0];
    if (complete) { // one of those whose lanes are all here, and then the others
        x.warp.split(x.fragment_index, mask & ~x.mask, pc);
        gather(x, op, member);
        run(member & alive);
        x.fragment().pc = pc + 1;
        return Flow::branch;
    }
    for (uint32_t i = 1; i < count; ++i) { // each waits for its members by itself
        const size_t part = x.warp.split(x.fragment_index, groups[i], pc);
        x.warp.fragments[part].wait.kind = machine::Wait::Kind::collective;
        x.warp.fragments[part].wait.member = members[std::countr_zero(groups[i])];
    }
    gather(x, op, member);
    return Flow::block;
}

/// The lanes have met, which orders nothing but is worth knowing.
inline void rendezvous(Exec& x) {
    if (x.listener)
        x.listener->warp_rendezvous(x.warp, x.mask);
}

} // namespace sim::instructions
