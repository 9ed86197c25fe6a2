#include "sim/instructions/call.h"

#include <fmt/format.h>

#include "base/demangle.h"

namespace sim::instructions::call {
namespace {

constexpr uint32_t deepest_call = 4096;

std::string listed(const std::vector<uint32_t>& bytes) {
    std::string text; // fmt::join() would need a function of fmt's library, which programs are not linked with
    for (const uint32_t size : bytes)
        text += fmt::format("{}{}", text.empty() ? "" : " + ", size);
    return bytes.empty() ? "nothing" : text + " bytes";
}

template <class Areas>
std::vector<uint32_t> sizes(const Areas& areas) {
    std::vector<uint32_t> bytes;
    for (const auto& area : areas)
        bytes.push_back(uint32_t(area.bytes));
    return bytes;
}

/// "takes 4 + 8 bytes and returns nothing".
template <class Areas>
std::string signature(const Areas& arguments, const Areas& returns) {
    return fmt::format("takes {} and returns {}", listed(sizes(arguments)), listed(sizes(returns)));
}

/// Is each place of the caller as large, and at least as aligned, as the callee's? A variadic function ends in an array
/// of no size, which takes whatever is left.
bool fits(const std::vector<ParameterArea>& here, const std::vector<ptx::Parameter>& there) {
    const bool variadic = !there.empty() && there.back().bytes == 0;
    if (variadic ? here.size() + 1 < there.size() : here.size() != there.size())
        return false;
    for (size_t i = 0; i < there.size() - variadic; ++i)
        if (here[i].bytes != there[i].bytes || here[i].align < there[i].align)
            return false;
    return true;
}

std::string alignments(const CallSite& site, const std::vector<ptx::Parameter>& params,
                       const std::vector<ptx::Parameter>& returns) {
    const bool same = sizes(site.arguments) == sizes(params) && sizes(site.returns) == sizes(returns);
    return same ? ", with a smaller alignment" : "";
}

/// Why this function cannot be called here; empty: it can.
std::string mismatch(const CallSite& site, const ptx::Function& target) {
    if (fits(site.arguments, target.params) && fits(site.returns, target.returns))
        return {};
    return fmt::format("the function called here, {}, {}, but the call passes what {}{}: it was called through a "
                       "pointer, or a declaration, of another type",
                       base::function_name(target.name), signature(target.params, target.returns),
                       signature(site.arguments, site.returns), alignments(site, target.params, target.returns));
}

Flow enter(Exec& x, const Op& op, const CallSite& site, const ptx::Function& target, uint32_t mask) {
    if (x.fragment().frame->depth >= deepest_call)
        return x.fail(Fault::illegal_address, "the call stack overflows: more than 4096 nested calls");
    if (site.last != &target) {
        if (std::string why = mismatch(site, target); !why.empty())
            return x.fail(Fault::illegal_instruction, std::move(why));
        site.last = &target;
    }
    DecodedFunction& callee = x.function->module->decoded(target);
    if (!x.warp.has_room(callee, *x.fragment().frame))
        return x.fail(
            Fault::illegal_address,
            "the call stack overflows: the nested calls need more than the 512 KiB of local memory that a thread has");
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

/// A call through a register names the type of the called function.
void check_prototype(Decoder& d, const CallSite& site) {
    if (d.operand_count() < 2)
        return;
    const auto& prototypes = d.function().function->code().prototypes;
    const auto found = prototypes.find(d.operand(1).text);
    if (found == prototypes.end())
        return;
    const ptx::Prototype& prototype = found->second;
    if (!fits(site.arguments, prototype.params) || !fits(site.returns, prototype.returns))
        d.fail(fmt::format("the prototype of this call says that the function {}, but the call passes what {}{}",
                           signature(prototype.params, prototype.returns), signature(site.arguments, site.returns),
                           alignments(site, prototype.params, prototype.returns)));
}

Handler decode(Decoder& d) {
    auto* site = d.keep(CallSite{});
    auto areas = [&](const std::vector<ptx::Operand>& operands, std::vector<ParameterArea>& out) {
        for (const auto& operand : operands) {
            if (operand.kind != ptx::Operand::Kind::param || !operand.is_call_param)
                d.fail("call: arguments and results are .param variables of the call site");
            if (operand.offset)
                d.fail("call: an argument is a whole .param variable, without an offset");
            const DecodedFunction& caller = d.function();
            const ptx::Parameter& one = caller.function->code().call_params.at(operand.index);
            out.push_back(
                {caller.call_offset + uint32_t(one.offset), caller.call_bytes, uint32_t(one.bytes), one.align});
        }
    };
    areas(d.source.call_args, site->arguments);
    areas(d.source.call_returns, site->returns);
    d.op.extra = site;
    const ptx::Operand& callee = d.operand(0);
    if (callee.kind == ptx::Operand::Kind::reg) {
        check_prototype(d, *site);
        d.op.a = d.read(0, 8);
        return indirect;
    }
    site->target = d.module().ptx().function(callee.text);
    if (site->target && !site->target->is_extern) {
        if (const std::string why = mismatch(*site, *site->target); !why.empty())
            d.fail(why);
        return direct;
    }
    if (const Intrinsic* provided = intrinsic(callee.text)) {
        if (sizes(site->arguments) != provided->arguments || sizes(site->returns) != provided->returns)
            d.fail(fmt::format("{} takes {} and returns {}, but is declared as a function that {}", callee.text,
                               listed(provided->arguments), listed(provided->returns),
                               signature(site->arguments, site->returns)));
        return provided->run;
    }
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
