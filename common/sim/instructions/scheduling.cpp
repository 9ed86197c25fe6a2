#include <fmt/format.h>

#include "sim/async/engine.h"
#include "sim/instructions/tensor_registers.h"

namespace sim::instructions::scheduling {
namespace {

// Kernels of one stream run one after another here, so a dependent launch finds everything complete. The listener
// checks what it would not be ordered after on a GPU.

/// The first execution by a thread of the block counts, and any of them may be the first.
void trigger(Exec& x) {
    using Trigger = machine::Block::Trigger;
    const bool after_wait = x.listener ? x.listener->launches_complete(x.warp, x.mask) : x.block.waited_for_launches;
    if (!after_wait)
        x.block.trigger = Trigger::before_wait;
    else if (x.block.trigger == Trigger::none)
        x.block.trigger = Trigger::after_wait;
}

Flow launch_dependents(Exec& x, const Op&) {
    trigger(x);
    ++x.grid.statistics.dependent_triggers;
    x.grid.statistics.instructions_before_triggers += x.warp.instructions + x.executed;
    return Flow::next;
}

Flow wait_for_dependencies(Exec& x, const Op&) {
    x.block.waited_for_launches = true;
    ++x.grid.statistics.dependency_waits;
    x.grid.statistics.instructions_before_waits += x.warp.instructions + x.executed;
    if (x.listener)
        x.listener->dependency_wait(x.warp, x.mask);
    return Flow::next;
}

Handler decode_dependencies(Decoder& d) {
    return d.value(".action") == ".wait" ? wait_for_dependencies : launch_dependents;
}

Flow change_registers(Exec& x, const Op& op) {
    Flow flow;
    if (!tensor::whole_warp(x, op, flow))
        return flow;
    auto& engine = async::Engine::of(x.block);
    engine.registers().set(x.warp.id, op.small, op.flags ? &op : nullptr);
    if (x.grid.log)
        x.grid.log->add(x.warp, x.mask,
                        {.kind = events::BarrierOperation::Kind::registers,
                         .waits = op.flags != 0,
                         .pc = x.pc(),
                         .amount = op.small,
                         .threads = engine.registers_at_launch()});
    return Flow::next;
}

/// No warp waits for registers; a block that asks for more than it can have is found out when it ends.
Handler decode_registers(Decoder& d) {
    const uint64_t count = d.immediate(0);
    if (count < 24 || count > 256 || count % 8)
        d.fail(fmt::format("setmaxnreg with {}: the number is a multiple of 8 from 24 to 256", count));
    d.op.small = uint32_t(count);
    d.op.flags = d.value(".action") == ".inc";
    return change_registers;
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
        .inexact =
            {{"",
              "no warp waits for registers; a block that asks for more than it can have, or too early, is reported when it ends"}},
    },
};

} // namespace sim::instructions::scheduling
