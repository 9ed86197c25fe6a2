#include "sim/instructions/call.h"

namespace sim::instructions::call {
namespace {

constexpr uint32_t deepest_call = 4096;

Flow enter(Exec& x, const Op& op, const CallSite& site, const ptx::Function& target, uint32_t mask) {
    if (x.fragment().frame->depth >= deepest_call)
        return x.fail(Fault::illegal_address, "the call stack overflows: more than 4096 nested calls");
    DecodedFunction& callee = x.function->module->decoded(target);
    size_t index = x.fragment_index;
    const uint32_t next = x.fragment().pc + 1;
    if (mask != x.fragment().mask)
        index = x.warp.split(index, mask, next);
    Fragment& fragment = x.warp.fragments[index];
    Frame* caller = fragment.frame;
    Frame* frame = x.warp.push(callee, caller, next, &op);
    const auto& parameters = target.params;
    for (size_t i = 0; i < site.arguments.size() && i < parameters.size(); ++i)
        for_lanes(mask, [&](int lane) {
            std::memcpy(frame->data + callee.params_offset + uint32_t(lane) * callee.params_bytes +
                            parameters[i].offset,
                        caller->data + site.arguments[i].offset + uint32_t(lane) * site.arguments[i].stride,
                        parameters[i].bytes);
        });
    fragment.frame = frame;
    fragment.pc = 0;
    x.warp.drop(caller); // the new frame holds it
    return Flow::branch;
}

Flow direct(Exec& x, const Op& op) {
    const auto& site = *static_cast<const CallSite*>(op.extra);
    const uint32_t held = x.fragment().mask & ~x.mask;
    const Flow flow = enter(x, op, site, *site.target, x.mask);
    if (held && flow == Flow::branch)
        ++x.fragment().pc;
    return flow;
}

Flow indirect(Exec& x, const Op& op) {
    const auto& site = *static_cast<const CallSite*>(op.extra);
    const uint64_t* address = x.lanes<uint64_t>(op.a);
    for (uint32_t rest = x.mask; rest;) {
        const uint64_t where = address[std::countr_zero(rest)];
        uint32_t same = 0;
        for_lanes(rest, [&](int lane) { same |= uint32_t(address[lane] == where) << lane; });
        rest &= ~same;
        const ptx::Function* target = x.function->module->function_at(where);
        if (!target || target->is_extern)
            return x.fail(Fault::illegal_address, "an indirect call through an address that is not a function's");
        const Flow flow = enter(x, op, site, *target, same);
        if (flow != Flow::branch)
            return flow;
    }
    if (x.fragment().frame->call != &op) // lanes that the guard held back are still here
        ++x.fragment().pc;
    return Flow::branch;
}

Handler decode(Decoder& d) {
    auto* site = d.keep(CallSite{});
    auto areas = [&](const std::vector<ptx::Operand>& operands, std::vector<ParameterArea>& out) {
        for (const auto& operand : operands) {
            if (operand.kind != ptx::Operand::Kind::param || !operand.is_call_param)
                d.fail("call: arguments and results are .param variables of the call site");
            const DecodedFunction& caller = d.function();
            const uint64_t offset = caller.function->call_params.at(operand.index).offset + uint64_t(operand.offset);
            out.push_back({caller.call_offset + uint32_t(offset), caller.call_bytes});
        }
    };
    areas(d.source.call_args, site->arguments);
    areas(d.source.call_returns, site->returns);
    d.op.extra = site;
    const ptx::Operand& callee = d.operand(0);
    if (callee.kind == ptx::Operand::Kind::reg) {
        d.op.a = d.read(0, 8);
        return indirect;
    }
    site->target = d.module().ptx().function(callee.text);
    if (site->target && !site->target->is_extern)
        return direct;
    if (Handler handler = intrinsic(callee.text))
        return handler;
    d.fail("call of " + callee.text + ", which this program does not define and the simulated device does not provide");
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "call",
        .syntax = "call{.uni} callee{, prototype};",
        .manual = "control-flow-instructions-call",
        .decode = decode,
        .use = Use::sink,
        .effects = {{"", effect::calls}},
    },
};

} // namespace sim::instructions::call
