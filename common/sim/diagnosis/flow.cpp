#include "sim/diagnosis/flow.h"

#include <algorithm>

#include "sim/machine/instruction.h"
#include "sim/ptx/module.h"

namespace sim::hazards {
namespace {

using machine::Op;
namespace effect = machine::effect;

} // namespace

bool Flow::is_wait(const Op& op) {
    return op.does(effect::waits_for_group) && op.does(effect::copy_group);
}

uint8_t Flow::stops(const Op& op) {
    if (op.does(effect::waits_for_phase))
        return of_warp | of_block | phases;
    if (op.does(effect::cluster_barrier))
        return op.does(effect::waits_at_barrier) ? of_warp | of_block | of_device : 0;
    if (op.does(effect::block_barrier))
        return of_warp | of_block;
    if (op.does(effect::warp_barrier))
        return of_warp;
    if (op.does(effect::atomic) || (op.does(effect::fence) && !op.does(effect::matrix_group)))
        return of_device;
    return op.does(effect::waits_for_group) && op.does(effect::copy_group | effect::bulk_group) ? waits : 0;
}

uint8_t Flow::deeds(const Op& op) {
    if (op.does(effect::expects | effect::completes_tx) || (op.does(effect::copies) && op.does(effect::copy_group)))
        return produces;
    if (op.does(effect::stores) && !op.does(effect::whole_warp) && op.address.space == ptx::Space::shared)
        return stores;
    if (op.does(effect::arrives))
        return arrives;
    return op.does(effect::calls) ? calls : 0;
}

/// Node::meets.
uint8_t Flow::barrier_of(const Op& op) {
    if (!op.does(effect::block_barrier))
        return 0;
    const bool reduces = op.does(effect::reduces);
    if (!op.source || reduces || op.source->operands.empty() ||
        op.source->operands[0].kind != ptx::Operand::Kind::immediate)
        return any_barrier;
    return uint8_t(std::min<uint64_t>(op.source->operands[0].bits, any_barrier - 2) + 1);
}

Flow::Flow(const machine::DecodedFunction& function) : nodes_(function.ops.size()) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
        const Op& op = function.ops[i];
        Node& node = nodes_[i];
        node.does = deeds(op);
        node.stops = stops(op);
        node.meets = barrier_of(op);
        const bool guarded = op.guard.exists() && op.guard.base() == machine::OperandRef::frame;
        if (op.does(effect::branches)) {
            node.branches = op.extra ? *static_cast<const std::vector<uint32_t>*>(op.extra)
                                     : std::vector<uint32_t>{uint32_t(op.imm)};
            node.falls_through = guarded;
        } else if (op.does(effect::ends_thread) || !op.record) {
            node.falls_through = guarded;
        }
    }
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

bool Flow::produces_next(uint32_t wait, bool by_stores) const {
    const uint8_t does = by_stores ? stores : produces;
    if (nodes_[wait].stops & phases)
        return comes_to(wait, does, phases);
    // Between two polls of a loop that waits: what counts is what comes after the next one, not after another loop's.
    return search(wait, phases, [&](uint32_t at) {
        return (nodes_[at].stops & phases) && reaches(at, wait, phases) && comes_to(at, does, phases);
    });
}

std::vector<uint32_t> Flow::ahead(uint32_t from) const {
    std::vector<uint32_t> all;
    search(from, 0, [&](uint32_t at) {
        all.push_back(at);
        return false;
    });
    return all;
}

bool Flow::meets(uint32_t at, uint32_t barrier) const {
    return nodes_[at].meets == any_barrier || nodes_[at].meets == barrier + 1;
}

bool Flow::may_meet(uint32_t from, uint32_t barrier) const {
    return search(from, 0, [&](uint32_t at) { return (nodes_[at].does & calls) || meets(at, barrier); });
}

uint8_t Flow::stops(Distance distance) {
    return distance == Distance::same_warp ? of_warp : distance == Distance::same_block ? of_block : of_device;
}

bool Flow::apart(uint32_t first, uint32_t second, Distance distance) const {
    return reaches(first, second, stops(distance)) && !reaches(second, first, stops(distance));
}

bool Flow::leads(uint32_t first, uint32_t second, Distance distance) const {
    const uint8_t stops = Flow::stops(distance);
    const bool there = reaches(first, second, stops), back = reaches(second, first, stops);
    if (there || back)
        return there && !back;
    return reaches(first, second) && !reaches(second, first);
}

} // namespace sim::hazards
