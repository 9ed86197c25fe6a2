// Member masks that come from activemask: which lanes they name depends on how the warp happens to run.
#include <algorithm>

#include "sim/machine/program.h"

namespace sim::machine {
namespace {

/// The register that a plain `mov` copies; does not exist() for any other op.
OperandRef copied(const DecodedFunction& function, size_t pc) {
    const Op& op = function.ops[pc];
    const bool moves = op.source && op.source->opcode.starts_with("mov.b32") && function.reads[pc].size() == 1;
    return moves ? function.reads[pc].front() : OperandRef{};
}

/// cooperative_groups::coalesced_threads() asks who is there, and promises no more than that.
bool belongs_to_a_group(const DecodedFunction& function, uint32_t pc) {
    const auto chain = function.module->sources().chain(*function.function, pc);
    return std::ranges::any_of(
        chain, [](const auto& link) { return link.file.find("cooperative_groups") != std::string::npos; });
}

} // namespace

void mark_masks_of_the_moment(DecodedFunction& function) {
    std::vector<OperandRef>& masks = function.active_masks;
    if (masks.empty())
        return;
    const auto holds = [&](OperandRef reg) { return std::ranges::find(masks, reg) != masks.end(); };
    for (size_t known = 0; known != masks.size();) {
        known = masks.size();
        for (size_t pc = 0; pc < function.ops.size(); ++pc)
            if (const OperandRef from = copied(function, pc); from.exists() && holds(from))
                for (const OperandRef to : function.writes[pc])
                    if (!holds(to))
                        masks.push_back(to);
    }
    // A register that holds something else elsewhere proves nothing.
    for (size_t pc = 0; pc < function.ops.size(); ++pc)
        for (const OperandRef to : function.writes[pc])
            if (const OperandRef from = copied(function, pc);
                holds(to) && !(from.exists() && holds(from)) && function.ops[pc].source &&
                !function.ops[pc].source->opcode.starts_with("activemask"))
                std::erase(masks, to);
    for (const auto& [pc, mask] : function.fixed_lanes)
        if (holds(mask) && !belongs_to_a_group(function, pc))
            function.ops[pc].flags |= mask_of_the_moment;
}

} // namespace sim::machine
