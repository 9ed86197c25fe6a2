// exit, ret, trap, brkpt, nanosleep, pmevent.
#include "sim/instructions/call.h"

namespace sim::instructions::exit {
namespace {

Flow leave(Exec&, const Op&) {
    return Flow::exit;
}

/// Lanes return to the caller: their return values move into the caller's call-site area.
Flow return_to_caller(Exec& x, const Op&) {
    Frame* frame = x.fragment().frame;
    if (!frame->parent)
        return Flow::exit;
    Frame* parent = frame->parent;
    const auto& areas = static_cast<const CallSite*>(frame->call->extra)->returns;
    const auto& returns = x.function->function->returns;
    for (size_t i = 0; i < areas.size(); ++i) // call.cpp has compared their sizes
        for_lanes(x.mask, [&](int lane) {
            std::memcpy(parent->data + areas[i].offset + uint32_t(lane) * areas[i].stride,
                        frame->data + x.function->returns_offset + uint32_t(lane) * x.function->returns_bytes +
                            returns[i].offset,
                        areas[i].bytes);
        });
    size_t index = x.fragment_index;
    if (x.mask != x.fragment().mask) {
        index = x.warp.split(index, x.mask, 0);
        ++x.fragment().pc;
    }
    Fragment& fragment = x.warp.fragments[index];
    fragment.frame = parent;
    fragment.pc = frame->return_pc;
    x.warp.retain(parent);
    x.warp.drop(frame);
    return Flow::branch;
}

Flow trap(Exec& x, const Op&) {
    return x.fail(Fault::trap, "trap");
}

Flow breakpoint(Exec& x, const Op&) {
    return x.fail(Fault::trap, "brkpt, and no debugger is attached");
}

/// For profilers; the simulated device has none.
Flow no_effect(Exec&, const Op&) {
    return Flow::next;
}

Flow sleep(Exec& x, const Op& op) {
    // A block's warps sleep side by side: each lets its share of the time pass. Programs that poll until a time limit
    // depend on it.
    x.grid.cycles += x.lanes<uint32_t>(op.a)[std::countr_zero(x.mask)] / x.block.warps.size();
    x.fragment().wait = {};
    x.fragment().wait.kind = Wait::Kind::sleep;
    ++x.fragment().pc;
    return Flow::block;
}

template <Handler handler>
Handler decode_as(Decoder&) {
    return handler;
}

Handler decode_sleep(Decoder& d) {
    d.op.a = d.read(0, 4);
    return sleep;
}

} // namespace

INSTRUCTIONS = {
    {.name = "exit",
     .syntax = "exit;",
     .manual = "control-flow-instructions-exit",
     .decode = decode_as<leave>,
     .effects = {{"", effect::ends_thread}}},
    {.name = "ret",
     .syntax = "ret{.uni};",
     .manual = "control-flow-instructions-ret",
     .decode = decode_as<return_to_caller>,
     .effects = {{"", effect::ends_thread}}},
    {.name = "trap",
     .syntax = "trap;",
     .manual = "miscellaneous-instructions-trap",
     .decode = decode_as<trap>,
     .effects = {{"", effect::ends_thread}}},
    {.name = "brkpt",
     .syntax = "brkpt;",
     .isa = 10,
     .sm = 11,
     .manual = "miscellaneous-instructions-brkpt",
     .decode = decode_as<breakpoint>},
    {.name = "nanosleep",
     .syntax = "nanosleep.u32 t;",
     .isa = 63,
     .sm = 70,
     .manual = "miscellaneous-instructions-nanosleep",
     .decode = decode_sleep,
     .effects = {{"", effect::sleeps}},
     .inexact = {{"", "the time is counted in instructions of the simulated device, not in nanoseconds"}}},
    {.name = "pmevent",
     .syntax = "pmevent{.mask} a;",
     .isa = 14,
     .sm = 0,
     .manual = "miscellaneous-instructions-pmevent",
     .decode = decode_as<no_effect>},
};

} // namespace sim::instructions::exit
