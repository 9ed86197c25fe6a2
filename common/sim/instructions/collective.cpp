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

} // namespace sim::instructions
