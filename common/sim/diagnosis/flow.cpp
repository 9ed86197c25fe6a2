#include "sim/diagnosis/flow.h"

#include "sim/machine/instruction.h"

namespace sim::hazards {
namespace {

using machine::Op;

bool ends_thread(std::string_view name) {
    return name == "exit" || name == "ret" || name == "trap";
}

bool waits_for_group(std::string_view name) {
    return name == "cp.async.wait_group" || name == "cp.async.wait_all";
}

bool waits_for_phase(std::string_view name) {
    return name == "mbarrier.try_wait" || name == "mbarrier.test_wait";
}

} // namespace

bool Flow::is_wait(const Op& op) {
    return op.record && waits_for_group(op.record->name);
}

Flow::Flow(const machine::DecodedFunction& function) : nodes_(function.ops.size()) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
        const Op& op = function.ops[i];
        Node& node = nodes_[i];
        const std::string_view name = op.record ? op.record->name : "exit";
        node.does = deeds(op);
        const bool guarded = op.guard.exists() && op.guard.base() == machine::OperandRef::frame;
        if (name == "bra") {
            node.branches = {uint32_t(op.imm)};
            node.falls_through = guarded;
        } else if (name == "brx.idx") {
            node.branches = *static_cast<const std::vector<uint32_t>*>(op.extra);
            node.falls_through = guarded;
        } else if (ends_thread(name)) {
            node.falls_through = guarded;
        } else if (name == "bar.warp.sync") {
            node.stops = of_warp;
        } else if (name == "bar" || name == "barrier") {
            node.stops = of_warp | of_block;
        } else if (waits_for_phase(name)) {
            node.stops = of_warp | of_block | phases;
        } else if (name == "barrier.cluster.wait") {
            node.stops = of_warp | of_block | of_device;
        } else if (name == "fence" || name == "membar" || name == "atom" || name == "red") {
            node.stops = of_device;
        } else if (waits_for_group(name) || name == "cp.async.bulk.wait_group") {
            node.stops = waits;
        }
    }
}

uint8_t Flow::deeds(const Op& op) {
    const std::string_view opcode = op.source ? std::string_view(op.source->opcode) : std::string_view();
    if (opcode.find("expect_tx") != opcode.npos || opcode.find("mbarrier::complete_tx") != opcode.npos ||
        opcode.starts_with("cp.async.ca") || opcode.starts_with("cp.async.cg"))
        return produces;
    if (opcode.starts_with("st.") && opcode.find(".shared") != opcode.npos)
        return stores;
    return opcode.starts_with("mbarrier.arrive") || opcode.starts_with("cp.async.mbarrier.arrive") ? arrives : 0;
}

template <class F>
bool Flow::search(uint32_t from, uint8_t stops, F&& found) const {
    std::vector<bool> seen(nodes_.size());
    std::vector<uint32_t> next;
    auto visit = [&](uint32_t i) {
        if (i < nodes_.size() && !seen[i]) {
            seen[i] = true;
            next.push_back(i);
        }
    };
    auto leave = [&](uint32_t i) {
        for (uint32_t target : nodes_[i].branches)
            visit(target);
        if (nodes_[i].falls_through)
            visit(i + 1);
    };
    leave(from);
    while (!next.empty()) {
        const uint32_t at = next.back();
        next.pop_back();
        if (found(at))
            return true;
        if (!(nodes_[at].stops & stops))
            leave(at);
    }
    return false;
}

bool Flow::reaches(uint32_t from, uint32_t to, uint8_t stops) const {
    return search(from, stops, [to](uint32_t at) { return at == to; });
}

bool Flow::comes_to(uint32_t from, uint8_t does, uint8_t stops) const {
    return search(from, stops, [&](uint32_t at) { return nodes_[at].does & does; });
}

bool Flow::leads(uint32_t first, uint32_t second, Distance distance) const {
    const uint8_t stops = distance == Distance::same_warp    ? of_warp
                          : distance == Distance::same_block ? of_block
                                                             : of_device;
    const bool there = reaches(first, second, stops), back = reaches(second, first, stops);
    if (there || back)
        return there && !back;
    return reaches(first, second) && !reaches(second, first);
}

} // namespace sim::hazards
