#include "sim/diagnosis/intent.h"

#include <algorithm>

#include "sim/machine/effects.h"
#include "sim/ptx/module.h"

namespace sim::hazards {

template <class F>
bool Intent::ask(size_t question, uint32_t first, uint32_t second, F&& f) const {
    const auto [it, is_new] = answers_[question].try_emplace(uint64_t{first} << 32 | second);
    const auto* function = is_new && first && second ? places_.function_at(first) : nullptr;
    const uint32_t base = function ? function->first_pc : 0;
    if (function && second - base < function->ops.size()) // wraps around for smaller ones
        it->second = f(flow(*function), first - base, second - base);
    return it->second;
}

bool Intent::leads(uint32_t first, uint32_t second, Distance distance) const {
    return ask(size_t(distance), first, second,
               [&](const Flow& flow, uint32_t a, uint32_t b) { return flow.leads(a, b, distance); });
}

bool Intent::apart(uint32_t first, uint32_t second, Distance distance) const {
    return ask(3 + size_t(distance), first, second,
               [&](const Flow& flow, uint32_t a, uint32_t b) { return flow.apart(a, b, distance); });
}

bool Intent::unwaited(uint32_t copy, uint32_t access) const {
    return ask(answers_.size() - 1, copy, access,
               [](const Flow& flow, uint32_t a, uint32_t b) { return flow.reaches_unwaited(a, b); });
}

bool Intent::produces_next(uint32_t wait, bool by_stores) const {
    const auto* function = places_.function_at(wait);
    return function && flow(*function).produces_next(wait - function->first_pc, by_stores);
}

bool Intent::arrives_later(uint32_t pc) const {
    const auto* function = places_.function_at(pc);
    return function && flow(*function).arrives_later(pc - function->first_pc);
}

bool Intent::copies_later(uint32_t pc) const {
    const auto* function = places_.function_at(pc);
    return function && flow(*function).may_copy(pc - function->first_pc);
}

uint32_t Intent::next_wait(uint32_t pc) const {
    const auto* function = places_.function_at(pc);
    for (uint32_t i = function ? pc + 1 - function->first_pc : 0; function && i < function->ops.size(); ++i)
        if (Flow::is_wait(function->ops[i]))
            return function->first_pc + i;
    return 0;
}

uint32_t Intent::unused_before_release(uint32_t pc) const {
    namespace effect = machine::effect;
    const auto* function = places_.function_at(pc);
    if (!function)
        return 0;
    uint32_t unused = 0;
    size_t i = pc - function->first_pc;
    std::vector<machine::OperandRef> left = function->writes[i];
    for (++i; i < function->ops.size(); ++i) {
        const auto &reads = function->reads[i], &addresses = function->address_reads[i];
        std::erase_if(left, [&](machine::OperandRef reg) {
            return std::find(reads.begin(), reads.end(), reg) != reads.end() ||
                   std::find(addresses.begin(), addresses.end(), reg) != addresses.end();
        });
        const machine::Op& op = function->ops[i];
        if (op.does(effect::branches | effect::calls | effect::ends_thread))
            return unused;
        if (op.does(effect::arrives | effect::warp_barrier | effect::block_barrier | effect::cluster_barrier))
            unused = uint32_t(left.size());
    }
    return unused;
}

bool Intent::asks_parity(uint32_t pc) const {
    namespace effect = machine::effect;
    const auto* function = pc ? places_.function_at(pc) : nullptr;
    if (!function)
        return true;
    const auto [known, is_new] = parity_.try_emplace(function, true);
    if (!is_new)
        return known->second;
    bool waits = false, by_parity = false;
    for (uint32_t i = 0; i < function->ops.size() && !by_parity; ++i) {
        const machine::Op& op = function->ops[i];
        if (op.does(effect::calls)) // there may be waits in what it calls
            by_parity = true;
        if (!op.does(effect::waits_for_phase) || !op.source)
            continue;
        waits = true;
        const std::string call = places_.library_call(function->first_pc + i);
        const bool hidden = !call.empty() && call.find("parity") == call.npos;
        by_parity = op.source->opcode.find(".parity") != std::string::npos && !hidden;
    }
    return known->second = by_parity || !waits;
}

void Intent::forget() {
    flows_.clear();
    parity_.clear();
    for (auto& known : answers_)
        known.clear();
}

} // namespace sim::hazards
