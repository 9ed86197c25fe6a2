#include "sim/machine/loop.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "sim/machine/program.h"

namespace sim::machine {
namespace {

/// Instructions that may be executed after `pc`. nullopt: they are not known here.
std::optional<std::vector<uint32_t>> after(const DecodedFunction& function, uint32_t pc) {
    const Op& op = function.ops[pc];
    std::vector<uint32_t> next;
    if (op.does(effect::branches)) {
        if (op.extra)
            return std::nullopt;
        next.push_back(uint32_t(op.imm));
    }
    const bool always = pc < function.function->body().size() && function.function->body()[pc].guard < 0;
    if (pc + 1 < function.ops.size() && !(always && op.does(effect::branches | effect::ends_thread)))
        next.push_back(pc + 1);
    return next;
}

/// Instructions from which `pc` is reached and that are reached from it, as a path of at least one step.
std::optional<std::vector<uint32_t>> instructions_around(const DecodedFunction& function, uint32_t pc) {
    const auto count = uint32_t(function.ops.size());
    std::vector<std::vector<uint32_t>> next(count), before(count);
    for (uint32_t at = 0; at < count; ++at) {
        const auto all = after(function, at);
        if (!all)
            return std::nullopt;
        for (const uint32_t to : *all)
            if (to < count) {
                next[at].push_back(to);
                before[to].push_back(at);
            }
    }
    const auto reached = [&](const auto& edges) {
        std::vector<bool> seen(count);
        std::vector<uint32_t> open{edges[pc].begin(), edges[pc].end()};
        while (!open.empty()) {
            const uint32_t at = open.back();
            open.pop_back();
            if (seen[at])
                continue;
            seen[at] = true;
            open.insert(open.end(), edges[at].begin(), edges[at].end());
        }
        return seen;
    };
    const auto forward = reached(next), backward = reached(before);
    std::vector<uint32_t> loop;
    for (uint32_t at = 0; at < count; ++at)
        if (forward[at] && backward[at])
            loop.push_back(at);
    return loop;
}

/// The shortest loop in the order of the text that `pc` is in.
std::vector<uint32_t> innermost_loop(const DecodedFunction& function, uint32_t pc) {
    const auto count = uint32_t(function.ops.size());
    std::vector<std::pair<uint32_t, uint32_t>> spans; // first and last instruction
    for (uint32_t last = pc; last < count; ++last)
        if (const auto next = after(function, last))
            for (const uint32_t first : *next)
                if (first <= pc)
                    spans.emplace_back(first, last);
    std::ranges::sort(spans, {}, [](const auto& span) { return span.second - span.first; });
    for (const auto& [first, last] : spans) {
        std::vector<bool> inside(count); // reached from the first
        inside[first] = true;
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t at = first; at <= last; ++at)
                if (inside[at])
                    for (const uint32_t to : after(function, at).value_or(std::vector<uint32_t>{}))
                        if (to >= first && to <= last && !inside[to])
                            changed = inside[to] = true;
        }
        if (!inside[pc] || !inside[last])
            continue;
        std::vector<uint32_t> loop;
        for (uint32_t at = first; at <= last; ++at)
            if (inside[at])
                loop.push_back(at);
        return loop;
    }
    return {};
}

/// A set of registers of one function.
class Registers {
  public:
    explicit Registers(const DecodedFunction& function) : in_(function.frame_bytes / 4 + 1) {}
    bool has(OperandRef reg) const { return reg.base() == OperandRef::frame && in_[reg.offset() / 4]; }
    /// False: it was there.
    bool add(OperandRef reg) {
        if (reg.base() != OperandRef::frame || in_[reg.offset() / 4])
            return false;
        return in_[reg.offset() / 4] = true;
    }
    /// False: it was not there.
    bool remove(OperandRef reg) {
        if (!has(reg))
            return false;
        in_[reg.offset() / 4] = false;
        return true;
    }

  private:
    std::vector<bool> in_;
};

Registers deciding(const DecodedFunction& function, const std::vector<uint32_t>& loop) {
    Registers all(function);
    for (const uint32_t pc : loop) {
        for (const OperandRef reg : function.address_reads[pc])
            all.add(reg);
        if (function.ops[pc].use == Use::sink || function.ops[pc].does(~uint32_t{effect::loads}))
            for (const OperandRef reg : function.reads[pc])
                all.add(reg);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (const uint32_t pc : loop)
            if (std::ranges::any_of(function.writes[pc], [&](OperandRef reg) { return all.has(reg); }))
                for (const OperandRef reg : function.reads[pc])
                    changed = all.add(reg) || changed;
    }
    return all;
}

bool reads_a_clock(const Op& op) {
    return std::ranges::any_of(op.source->operands, [](const ptx::Operand& operand) {
        return operand.kind == ptx::Operand::Kind::special &&
               (operand.text.starts_with("%clock") || operand.text.starts_with("%globaltimer"));
    });
}

/// Does it read what another thread may write meanwhile?
bool asks_memory(const Op& op) {
    constexpr std::array<std::string_view, 3> strong{".volatile", ".relaxed", ".acquire"};
    return op.does(effect::atomic | effect::waits_for_phase) ||
           (op.does(effect::loads) && op.address.space != ptx::Space::param &&
            std::ranges::any_of(strong, [&](std::string_view one) { return has_modifier(op.source->opcode, one); }));
}

/// Does it count, if its operands do? Anything more would be a computation, whose result may come in time.
bool may_count(const DecodedFunction& function, uint32_t pc) {
    constexpr std::array<std::string_view, 5> steps{"mov.", "add.", "sub.", "cvt.", "setp."};
    constexpr std::array<std::string_view, 4> of_predicates{"and.pred", "or.pred", "xor.pred", "not.pred"};
    const Op& op = function.ops[pc];
    const auto is = [&](std::string_view name) { return std::string_view(op.source->opcode).starts_with(name); };
    return !op.effects && op.use != Use::sink &&
           (std::ranges::any_of(steps, is) || std::ranges::any_of(of_predicates, is));
}

/// Registers that hold only counters, clocks, and what is compared with them, and that change from round to round.
Registers counting(const DecodedFunction& function, const std::vector<uint32_t>& loop) {
    Registers written(function), all(function), constant(function);
    for (const uint32_t pc : loop)
        for (const OperandRef reg : function.writes[pc])
            written.add(reg), all.add(reg);
    const auto reads_only = [&](uint32_t pc, const Registers& of) {
        return std::ranges::all_of(function.reads[pc],
                                   [&](OperandRef reg) { return !written.has(reg) || of.has(reg); });
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (const uint32_t pc : loop)
            if (!reads_a_clock(function.ops[pc]) && !(may_count(function, pc) && reads_only(pc, all)))
                for (const OperandRef reg : function.writes[pc])
                    changed = all.remove(reg) || changed;
    }
    for (bool changed = true; changed;) { // what is computed again in each round, from what does not change
        changed = false;
        for (const uint32_t pc : loop)
            if (!reads_a_clock(function.ops[pc]) && may_count(function, pc) && reads_only(pc, constant))
                for (const OperandRef reg : function.writes[pc])
                    changed = constant.add(reg) || changed;
    }
    for (const uint32_t pc : loop)
        for (const OperandRef reg : function.writes[pc])
            if (constant.has(reg))
                all.remove(reg);
    return all;
}

/// Does a counter or a clock decide whether the loop goes on?
bool counts_rounds(const DecodedFunction& function, const std::vector<uint32_t>& loop) {
    if (loop.empty())
        return false;
    const Registers decides = deciding(function, loop), counts = counting(function, loop);
    return std::ranges::any_of(function.registers, [&](OperandRef reg) { return decides.has(reg) && counts.has(reg); });
}

/// Everything in the frame but the registers that `skipped` accepts.
template <class F>
Loop::Ranges frame_without(const DecodedFunction& function, F&& skipped) {
    Loop::Ranges holes, rest;
    for (size_t i = 0; i < function.registers.size(); ++i) {
        const OperandRef reg = function.registers[i];
        const uint32_t bytes = function.register_bytes[i] ? 32u * function.register_bytes[i] : 4;
        if (reg.base() == OperandRef::frame && skipped(reg))
            holes.emplace_back(reg.offset(), reg.offset() + bytes);
    }
    std::ranges::sort(holes);
    uint32_t at = 0;
    for (const auto& [begin, end] : holes) {
        if (begin > at)
            rest.emplace_back(at, begin);
        at = std::max(at, end);
    }
    if (at < function.frame_bytes)
        rest.emplace_back(at, function.frame_bytes);
    return rest;
}

} // namespace

const Loop& LoopsSeen::loop(const DecodedFunction& function, uint32_t pc) {
    const auto [at, fresh] = loops_.try_emplace({&function, pc});
    if (fresh)
        at->second = loop_around(function, pc);
    return at->second;
}

const Loop::Ranges& LoopsSeen::deciding(const DecodedFunction& function, uint32_t pc) {
    const Loop& around = loop(function, pc);
    return patient || around.polled.empty() ? around.deciding : around.polled;
}

bool LoopsSeen::may_give_up(const DecodedFunction& function, uint32_t pc) {
    const auto [at, fresh] = may_give_up_.try_emplace({&function, pc});
    if (fresh)
        at->second = counts_rounds(function, innermost_loop(function, pc));
    return at->second;
}

bool asks_others(const Op& op) {
    using namespace effect;
    constexpr uint32_t asks = loads | atomic | copies | copy_group | bulk_group | mbarrier_object | arrives | expects |
                              completes_tx | waits_for_phase | warp_barrier | block_barrier | cluster_barrier | calls |
                              sleeps;
    return op.does(asks) && op.address.space != ptx::Space::param;
}

Loop loop_around(const DecodedFunction& function, uint32_t pc) {
    const auto around = instructions_around(function, pc);
    if (!around || around->empty())
        return {{{0, function.frame_bytes}}, {}, around.has_value()};
    const Registers decides = deciding(function, *around), counts = counting(function, *around);
    Loop loop;
    loop.deciding = frame_without(function, [&](OperandRef reg) { return !decides.has(reg); });
    const bool polls = std::ranges::any_of(*around, [&](uint32_t at) {
        const Op& op = function.ops[at];
        return asks_memory(op) && !counts.has(op.address.base) &&
               std::ranges::any_of(function.writes[at], [&](OperandRef reg) { return decides.has(reg); });
    });
    if (polls)
        loop.polled = frame_without(function, [&](OperandRef reg) { return !decides.has(reg) || counts.has(reg); });
    return loop;
}

} // namespace sim::machine
