// bra and brx.idx. The guard has already been applied: x.mask are the lanes that branch.
#include "sim/instructions/operands.h"

namespace sim::instructions::bra {
namespace {

Flow to(Exec& x, uint32_t mask, uint32_t target) {
    ++x.warp.branches;
    Fragment& fragment = x.fragment();
    if (mask == fragment.mask) {
        fragment.pc = target;
        return Flow::branch;
    }
    // The lanes that do not branch go on behind this instruction.
    x.warp.split(x.fragment_index, mask, target);
    ++x.fragment().pc;
    return Flow::branch;
}

Flow branch(Exec& x, const Op& op) {
    return to(x, x.mask, uint32_t(op.imm));
}

Handler decode_direct(Decoder& d) {
    d.op.imm = d.label(0);
    return branch;
}

/// op.extra: targets; op.a: index
Flow indexed(Exec& x, const Op& op) {
    const auto& targets = *static_cast<const std::vector<uint32_t>*>(op.extra);
    const uint32_t* index = x.lanes<uint32_t>(op.a);
    uint32_t rest = x.mask;
    while (rest) {
        const uint32_t which = index[std::countr_zero(rest)];
        if (which >= targets.size())
            return x.fail(Fault::illegal_instruction, "brx.idx: the index is outside the list of targets");
        uint32_t same = 0;
        for_lanes(rest, [&](int lane) { same |= uint32_t(index[lane] == which) << lane; });
        rest &= ~same;
        if (!rest && same == x.fragment().mask) {
            x.fragment().pc = targets[which];
            return Flow::branch;
        }
        x.warp.split(x.fragment_index, same, targets[which]);
        if (!rest && x.fragment().mask) { // lanes that the guard held back
            ++x.fragment().pc;
            return Flow::branch;
        }
    }
    return Flow::branch;
}

Handler decode_indexed(Decoder& d) {
    d.op.a = d.read(0, 4);
    const auto& tables = d.function().function->code().branch_targets;
    const auto it = tables.find(d.operand(1).text);
    if (it == tables.end())
        d.fail("brx.idx: no .branchtargets " + d.operand(1).text);
    d.op.extra = d.keep(std::vector<uint32_t>(it->second));
    return indexed;
}

} // namespace

INSTRUCTIONS = {
    {.name = "bra",
     .syntax = "bra{.uni} target;",
     .isa = 10,
     .sm = 0,
     .manual = "control-flow-instructions-bra",
     .decode = decode_direct,
     .use = Use::sink,
     .effects = {{"", effect::branches}}},
    {.name = "brx.idx",
     .syntax = "brx.idx{.uni} index, targets;",
     .isa = 60,
     .sm = 30,
     .manual = "control-flow-instructions-brx-idx",
     .decode = decode_indexed,
     .use = Use::sink,
     .effects = {{"", effect::branches}}},
};

} // namespace sim::instructions::bra
