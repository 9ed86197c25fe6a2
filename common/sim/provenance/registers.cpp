#include "sim/provenance/registers.h"

#include <algorithm>
#include <bit>

#include "sim/machine/instruction.h"

namespace sim::provenance {

using namespace machine;

namespace {

bool is_register(OperandRef ref) {
    return ref.base() == OperandRef::frame;
}

// mma and wmma.mma; the operands of wgmma are reported by themselves.
bool multiplies(const Op& op) {
    return op.record && (op.record->name.starts_with("mma") || op.record->name.starts_with("wmma.mma"));
}

// Does the instruction access a parameter? Then its handler has the place.
bool is_parameter(const Op& op) {
    return op.does(effect::loads | effect::stores) && op.width && !op.address.base.exists() &&
           op.address.space == ptx::Space::generic;
}

bool is_local(Exec& x, const Op& op) {
    if (op.address.space == ptx::Space::local)
        return true;
    if (op.address.space != ptx::Space::generic || !op.address.base.exists() || !x.mask)
        return false;
    uint64_t address[32];
    x.addresses(op.address, address);
    return address[std::countr_zero(x.mask)] - memory::local_window < memory::local_window_bytes;
}

} // namespace

Registers::Activation& Registers::of(const Frame* frame) {
    if (frame != last_frame_) {
        last_frame_ = frame;
        last_ = &activations_[frame];
    }
    if (last_->function != frame->function) {
        last_->function = frame->function;
        last_->registers.assign(frame->function->frame_bytes / 4 + 1, 0);
        last_->passed = 0;
        last_->regions.clear();
    }
    return *last_;
}

Origin& Registers::at(Activation& now, OperandRef ref) {
    return now.registers[ref.offset() / 4];
}

Origin Registers::read(Activation& now, OperandRef ref) {
    return is_register(ref) ? at(now, ref) : 0;
}

// Of the branches around this place.
Origin Registers::condition(const Activation& now, uint32_t pc, Origins& origins) {
    Origin all = 0;
    for (const Region& region : now.regions)
        if (region.begin < pc && pc < region.end)
            all = origins.join(all, region.condition);
    return all;
}

// `if (x) y = 1;` leaves y as it was if x is false, so y depends on x although nothing is written.
void Registers::branch(Activation& now, Exec& x, const Op& op, Origins& origins) {
    constexpr uint32_t longest = 256;
    const DecodedFunction& function = *x.function;
    const uint32_t pc = x.fragment().pc;
    const Origin guard = read(now, op.guard);
    std::erase_if(now.regions, [&](const Region& region) { return region.begin == pc || region.end <= pc; });
    if (!guard || op.extra || op.imm <= pc || op.imm >= function.ops.size())
        return;
    auto end = uint32_t(op.imm);
    const Op& last = function.ops[end - 1]; // of the first way; the second one may follow
    if (last.does(effect::branches) && !is_register(last.guard) && !last.extra && last.imm > end)
        end = uint32_t(std::min<uint64_t>(last.imm, function.ops.size()));
    if (end - pc > longest)
        return;
    now.regions.push_back({pc, end, guard});
    for (uint32_t i = pc + 1; i < end; ++i)
        for (const OperandRef ref : function.writes[i])
            if (is_register(ref))
                at(now, ref) = origins.join(at(now, ref), guard);
}

// Of the operands that `op` chooses between, those that it takes.
Origin Registers::operands(Activation& now, Exec& x, const Op& op, Origins& origins) {
    const uint32_t pc = x.fragment().pc;
    const auto& reads = x.function->reads[pc];
    const size_t factors = multiplies(op) ? reads.size() - std::min(reads.size(), x.function->writes[pc].size()) : 0;
    uint32_t first = x.mask, second = x.mask;
    if (op.use == Use::select && op.c.exists()) {
        const uint32_t chosen = x.predicate(op.c, uint32_t(op.imm));
        first &= chosen;
        second &= ~chosen;
    }
    Origin value = 0;
    for (size_t i = 0; i < reads.size(); ++i) {
        const OperandRef ref = reads[i];
        if ((!first && ref == op.a && !(ref == op.b)) || (!second && ref == op.b && !(ref == op.a)))
            continue;
        value = origins.join(value, read(now, ref));
        if (i + 1 == factors)
            value = origins.multiplied(value, false);
    }
    for (const OperandRef ref : x.function->address_reads[pc]) // and the guard
        value = origins.join(value, read(now, ref));
    return now.regions.empty() ? value : origins.join(value, condition(now, pc, origins));
}

Origin Registers::through_memory(Activation& now, Exec& x, const Op& op, Origin value, Origins& origins) {
    const bool loads = op.does(effect::loads);
    if (is_parameter(op)) {
        if (!loads) {
            now.passed = origins.join(now.passed, value);
        } else {
            value = origins.join(value, now.passed);
            if (const Frame* parent = x.fragment().frame->parent)
                value = origins.join(value, of(parent).passed);
        }
    } else if (is_local(x, op)) {
        if (loads)
            value = origins.join(value, local_);
        else
            local_ = origins.join(local_, value);
    }
    return value;
}

void Registers::step(Exec& x, const Op& op, Origins& origins) {
    if (op.does(effect::multiplies))
        return;
    const Frame* frame = x.fragment().frame;
    const auto& writes = x.function->writes[x.fragment().pc];
    const bool memory = op.does(effect::loads | effect::stores);
    if (op.does(effect::ends_thread) && frame->parent) {
        const Origin passed = of(frame).passed;
        of(frame->parent).passed = origins.join(of(frame->parent).passed, passed);
        return;
    }
    if (op.does(effect::branches))
        return branch(of(frame), x, op, origins);
    if (writes.empty() && !memory)
        return;
    Origin value = operands(of(frame), x, op, origins);
    if (memory)
        value = through_memory(of(frame), x, op, value, origins);
    Activation& now = of(frame);
    const bool all = x.mask == x.warp.alive();
    for (const OperandRef ref : writes)
        if (is_register(ref))
            at(now, ref) = all ? value : origins.join(at(now, ref), value);
}

Origin Registers::stored(Exec& x, Origins& origins) {
    Activation& now = of(x.fragment().frame);
    Origin value = origins.join(read(now, x.op().guard), condition(now, x.fragment().pc, origins));
    for (const OperandRef ref : x.function->reads[x.fragment().pc])
        value = origins.join(value, read(now, ref));
    return value;
}

void Registers::loaded(Exec& x, Origin value, Origins& origins) {
    if (!value)
        return;
    Activation& now = of(x.fragment().frame);
    for (const OperandRef ref : x.function->writes[x.fragment().pc])
        if (is_register(ref))
            at(now, ref) = origins.join(at(now, ref), value);
}

void Registers::multiplied(const Fragment& fragment, Origin shared, Origins& origins) {
    Activation& now = of(fragment.frame);
    const DecodedFunction& function = *fragment.frame->function;
    const auto& writes = function.writes[fragment.pc];
    Origin factors = shared;
    for (const OperandRef ref : function.reads[fragment.pc]) // A, if it is in registers
        if (std::find(writes.begin(), writes.end(), ref) == writes.end())
            factors = origins.join(factors, read(now, ref));
    factors = origins.multiplied(factors, origins.is_landed(shared));
    for (const OperandRef ref : writes)
        if (is_register(ref))
            at(now, ref) = origins.join(at(now, ref), factors);
}

} // namespace sim::provenance
