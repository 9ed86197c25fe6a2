#include "sim/timeline/chains.h"

#include <algorithm>
#include <array>
#include <vector>

#include "sim/machine/program.h"

namespace sim::timeline {
namespace {

/// As `./lab bench model` measured them on an H100; docs/timeline.md has the table. `issue`: cycles of a scheduler's
/// time. `steps`: until the result can be used. `holds`: until the warp issues what is behind it. Both in units of the
/// time of an addition, about 4 cycles.
struct Class {
    std::string_view names[10];
    uint8_t issue, steps, holds = 0;
};
constexpr Class classes[] = {
    {{"mov.", "cvta.", "ld.param"}, 0, 0}, // ptxas renames registers and reads parameters as constants
    {{"setp."}, 2, 3},                     // a predicate
    {{"ex2.", "lg2.", "rcp.", "rsqrt.", "sqrt.", "sin.", "cos.", "tanh."}, 8, 4},
    {{"popc.", "clz.", "bfind.", "brev."}, 8, 4},
    {{"redux."}, 8, 11},
    {{"shfl."}, 4, 6},
    {{"mma.sync"}, 6, 6},
    {{"div.s32", "div.u32", "rem.s32", "rem.u32"}, 29, 32},
    {{"mbarrier.arrive"}, 1, 7},
    {{"fence.proxy.async"}, 1, 1, 4},
    {{"cp.async.wait_group", "cp.async.wait_all"}, 1, 1, 10},
    {{"cp.async.mbarrier.arrive"}, 1, 1, 11},
    {{"cp.async.bulk.wait_group"}, 1, 1, 9},
};

/// Of integers, an SM multiplies and shifts 64 in a cycle, and adds 128.
uint8_t full_rate(std::string_view opcode) {
    const bool counts = opcode.ends_with("32") || opcode.ends_with("64") || opcode.ends_with("16");
    const bool adds = opcode.starts_with("add.") || opcode.starts_with("sub.");
    if (!counts || opcode.ends_with(".f32") || opcode.ends_with(".f16"))
        return 1;
    return adds && !opcode.ends_with("64") ? 1 : 2;
}

} // namespace

Chains::Cost Chains::cost(const machine::Op& op) {
    const auto [at, fresh] = costs_.try_emplace(&op);
    if (!fresh || !op.source)
        return at->second;
    const std::string_view opcode = op.source->opcode;
    Cost& cost = at->second;
    cost.issue = full_rate(opcode);
    for (const Class& one : classes)
        for (const std::string_view name : one.names)
            if (!name.empty() && opcode.starts_with(name))
                cost.issue = one.issue, cost.steps = one.steps, cost.holds = one.holds;
    cost.ordered = cost.issue && (op.effects || op.use == machine::Use::sink);
    cost.loads = cost.issue && op.does(machine::effect::loads);
    cost.branches = op.does(machine::effect::branches);
    return cost;
}

uint64_t Chains::ready(const std::byte* reg) const {
    const auto found = ready_.find(reg);
    return found == ready_.end() ? 0 : found->second;
}

bool Chains::step(machine::Exec& x, const machine::Op& op) {
    const machine::DecodedFunction& function = *x.function;
    const size_t pc = size_t(&op - function.ops.data());
    const Cost cost = this->cost(op);
    const std::byte* frame = x.fragment().frame->data;
    uint64_t at = floor_;
    const auto read = [&](machine::OperandRef reg) {
        if (reg.base() != machine::OperandRef::frame)
            return;
        at = std::max(at, ready(frame + reg.offset()));
        used_ = used_ || loading_.contains(frame + reg.offset());
    };
    read(op.guard);
    if (pc < function.reads.size())
        for (const auto* list : {&function.reads[pc], &function.address_reads[pc]})
            for (const auto& reg : *list)
                read(reg);
    issue_ += cost.issue;
    if (cost.ordered || cost.holds)
        floor_ = at + cost.holds;
    if (x.mask && pc < function.writes.size())
        for (const machine::OperandRef reg : function.writes[pc])
            if (reg.base() == machine::OperandRef::frame) {
                ready_[frame + reg.offset()] = at + cost.steps;
                if (cost.loads)
                    loading_.insert(frame + reg.offset());
            }
    return cost.branches && used_;
}

void Chains::shared(const events::Access& access) {
    constexpr uint32_t banks = 32, word = 4;
    std::vector<uint64_t> words;
    machine::for_lanes(access.mask, [&](int lane) {
        for (uint64_t at = access.address[lane] / word; at * word < access.address[lane] + access.bytes; ++at)
            words.push_back(at);
    });
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::array<uint32_t, banks> each{};
    for (const uint64_t one : words)
        ++each[one % banks];
    wavefronts_ += *std::ranges::max_element(each);
}

} // namespace sim::timeline
