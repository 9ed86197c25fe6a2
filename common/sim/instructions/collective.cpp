#include "sim/instructions/collective.h"

#include <fmt/format.h>

namespace sim::instructions {

Flow not_in_own_mask(Exec& x, const Op& op, const uint32_t* members, uint32_t outside) {
    const auto lane = uint32_t(std::countr_zero(outside));
    std::string what = fmt::format("lane {} of warp {} of block {} is not in its own mask {:#010x}", lane, x.warp.id,
                                   x.block.linear, members[lane]);
    if (x.listener)
        x.listener->misuse(&x.warp, outside, &op,
                           events::LaneNotInMask{lane, members[lane], std::string(op.record->name), what});
    return x.fail(machine::Fault::illegal_instruction, std::move(what));
}

void report_mask_of_the_moment(Exec& x, const Op& op) {
    if (x.listener)
        x.listener->misuse(&x.warp, x.mask, &op, events::MaskOfTheMoment{op.does(machine::effect::warp_barrier)});
}

namespace {

/// Can lanes that have executed the instruction come to it once more?
bool comes_back(Exec& x) {
    const machine::DecodedFunction& function = *x.fragment().frame->function;
    const uint32_t here = x.fragment().pc;
    if (&function != x.grid.entry) // it may be called again
        return true;
    const bool barrier = function.ops[here].does(machine::effect::warp_barrier);
    for (size_t at = here; at < function.ops.size(); ++at) {
        const Op& op = function.ops[at];
        if (barrier && at > here && op.does(machine::effect::warp_barrier)) // lanes meet at different ones, too
            return true;
        if (!op.does(machine::effect::branches))
            continue;
        const auto targets =
            op.extra ? *static_cast<const std::vector<uint32_t>*>(op.extra) : std::vector<uint32_t>{uint32_t(op.imm)};
        for (const uint32_t target : targets)
            if (target <= here)
                return true;
    }
    return false;
}

} // namespace

void report_other_mask(Exec& x, const Op& op, const uint32_t* members, uint32_t group, uint32_t all) {
    const uint32_t member = members[std::countr_zero(group)], others = member & x.warp.alive() & all & ~group;
    if (!others || !x.listener || comes_back(x))
        return;
    const auto other = uint32_t(std::countr_zero(others));
    x.listener->misuse(
        &x.warp, group, &op,
        events::LaneNotInMask{other, members[other], std::string(op.record->name),
                              fmt::format("Lanes {:#010x} execute {} with the mask {:#010x}, which names lane {}, too. "
                                          "That one executes it at the same time with another mask, {:#010x}, so they "
                                          "do not take part in it together.",
                                          group, op.record->name, member, other, members[other])});
}

} // namespace sim::instructions
