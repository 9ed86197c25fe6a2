#include "sim/instructions/operands.h"

namespace sim::instructions::isspacep {
namespace {

bool in_space(Exec& x, Space space, bool own_block, uint64_t address) {
    const uint64_t in_shared = address - memory::shared_window;
    if (in_shared < memory::shared_window_bytes) {
        const auto tag = uint32_t(in_shared >> memory::shared_rank_shift);
        const uint32_t own = x.block.cluster_rank;
        return space == Space::shared && (!own_block || tag == x.block.own_tag || memory::rank_of_tag(tag, own) == own);
    }
    if (address - memory::local_window < memory::local_window_bytes)
        return space == Space::local;
    const auto* allocation = x.grid.memory.find(address);
    auto lies_in = Space::global;
    if (allocation && allocation->holds(address, 1)) {
        if (allocation->kind == memory::AllocationKind::constant)
            lies_in = Space::constant;
        else if (allocation->kind == memory::AllocationKind::parameters)
            lies_in = Space::param;
    }
    return space == lies_in;
}

Flow test_space(Exec& x, const Op& op) {
    uint32_t result = 0;
    for_lanes(x.mask, [&](int lane) {
        result |= uint32_t(in_space(x, op.address.space, op.flags, x.lanes<uint64_t>(op.a)[lane])) << lane;
    });
    x.set_predicate(op.d, result);
    return Flow::next;
}

Handler decode(Decoder& d) {
    d.op.d = predicate_destination(d, d.operand(0));
    d.op.a = d.read(1, 8);
    d.op.address.space = d.space(".space");
    d.op.flags = d.value(".space") != ".shared::cluster";
    return test_space;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "isspacep",
        .syntax = R"(
        isspacep.space p, a;
        .space = { .const, .global, .local, .shared{::cta, ::cluster}, .param{::entry} };
)",
        .isa = 20,
        .sm = 20,
        .manual = "data-movement-and-conversion-instructions-isspacep",
        .decode = decode,
    },
};

} // namespace sim::instructions::isspacep
