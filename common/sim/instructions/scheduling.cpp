#include <fmt/format.h>

#include "sim/instructions/operands.h"

namespace sim::instructions::scheduling {
namespace {

Flow no_effect(Exec&, const Op&) {
    return Flow::next;
}

/// Kernels of one stream run one after another here, so a dependent launch has nothing to wait for.
Handler decode_dependencies(Decoder&) {
    return no_effect;
}

/// Registers are not modelled; the rules for the count are.
Handler decode_registers(Decoder& d) {
    const uint64_t count = d.immediate(0);
    if (count < 24 || count > 256 || count % 8)
        d.fail(fmt::format("setmaxnreg with {}: the number is a multiple of 8 from 24 to 256", count));
    return no_effect;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "griddepcontrol",
        .syntax = R"(
        griddepcontrol.action;
        .action = { .launch_dependents, .wait };
)",
        .isa = 78,
        .sm = 90,
        .manual = "parallel-synchronization-and-communication-instructions-griddepcontrol",
        .decode = decode_dependencies,
    },
    {
        .name = "setmaxnreg",
        .syntax = R"(
        setmaxnreg.action.sync.aligned.u32 count;
        .action = { .inc, .dec };
)",
        .isa = 80,
        .sm = 90,
        .manual = "miscellaneous-instructions-setmaxnreg",
        .decode = decode_registers,
    },
};

} // namespace sim::instructions::scheduling
