#include "sim/machine/decoder.h"

#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "sim/machine/exec.h"
#include "sim/machine/target.h"

namespace sim::machine {
namespace {

struct Undecodable {
    std::string why;
    std::string targets{}; ///< that have the instruction, if only the module's own one lacks it
};

struct TargetMissing : DecodeError {
    TargetMissing(const std::string& why, std::string_view targets) : DecodeError(why), targets(targets) {}
    std::string targets;
};

Flow report_undecodable(Exec& x, const Op& op) {
    return x.fail(Fault::not_implemented, static_cast<const Undecodable*>(op.extra)->why);
}

Flow end_of_function(Exec& x, const Op&) {
    return x.mask ? Flow::exit : Flow::next;
}

constexpr Inexact reads_as_zero{.forms = {}, .how = "this special register is always 0"};

} // namespace

ptx::Type Decoder::type(std::string_view slot, size_t nth) const {
    const auto name = form.value(slot, nth);
    auto type = ptx::type_named(name.empty() ? slot : name);
    if (!type)
        fail(fmt::format("{}: no type in {}", source.opcode, slot));
    return *type;
}

void Decoder::need(std::string_view targets, std::string_view what) const {
    const std::string& target = module_.ptx().target;
    if (!allows(target, targets))
        throw TargetMissing(target_missing(what, targets, target), targets);
}

ptx::Space Decoder::space(std::string_view slot) const {
    std::string_view name = form.value(slot);
    name = name.substr(0, name.find("::"));
    if (name == ".global")
        return ptx::Space::global;
    if (name == ".shared")
        return ptx::Space::shared;
    if (name == ".local")
        return ptx::Space::local;
    if (name == ".const")
        return ptx::Space::constant;
    if (name == ".param")
        return ptx::Space::param;
    return ptx::Space::generic;
}

OperandRef Decoder::constant(uint64_t value, uint32_t bytes) {
    auto& pool = function_.constants;
    const uint32_t size = 32 * bytes;
    // The pool is small; a linear search at decode time keeps it so.
    for (uint32_t at = 64; at + size <= pool.size(); at += 64) {
        bool same = true;
        for (uint32_t lane = 0; lane < 32 && same; ++lane)
            same = std::memcmp(pool.data() + at + lane * bytes, &value, bytes) == 0;
        if (same)
            return OperandRef::in(OperandRef::constants, at);
    }
    const auto at = uint32_t(pool.size());
    pool.resize(at + (size + 63) / 64 * 64);
    for (uint32_t lane = 0; lane < 32; ++lane)
        std::memcpy(pool.data() + at + lane * bytes, &value, bytes);
    return OperandRef::in(OperandRef::constants, at);
}

namespace {

OperandRef special_register(Special special, uint32_t bytes) {
    const size_t at = bytes == 8 ? offsetof(SpecialPage, wide) + size_t(special) * 256
                                 : offsetof(SpecialPage, narrow) + size_t(special) * 128;
    return OperandRef::in(OperandRef::specials, uint32_t(at));
}

/// A float immediate is converted to the width that is needed.
uint64_t bits_of(const ptx::Operand& immediate, uint32_t bytes) {
    if (immediate.is_float && immediate.width == 32 && bytes == 8)
        return std::bit_cast<uint64_t>(double(std::bit_cast<float>(uint32_t(immediate.bits))));
    if (immediate.is_float && immediate.width == 64 && bytes == 4)
        return std::bit_cast<uint32_t>(float(std::bit_cast<double>(immediate.bits)));
    return immediate.bits;
}

} // namespace

OperandRef Decoder::read_register(const ptx::Operand& operand, uint32_t bytes) {
    const uint32_t have = function_.register_bytes[operand.index];
    if (have != bytes)
        fail(fmt::format("{}: register {} has {} bits where {} are needed", source.opcode,
                         function_.function->code().registers[operand.index].name, have * 8, bytes * 8));
    const OperandRef ref = function_.registers[operand.index];
    function_.reads[index_].push_back(ref);
    return ref;
}

bool Decoder::own_addresses() const {
    return allows(module_.ptx().target, "sm_100");
}

uint64_t Decoder::shared_offset(const ptx::Operand& operand) const {
    const ptx::Variable& variable = *operand.variable;
    return uint64_t(operand.offset) +
           (variable.dynamic ? module_.shared_end(*function_.function) : module_.shared_offset(variable));
}

OperandRef Decoder::read_address(const ptx::Operand& operand, uint32_t bytes) {
    const ptx::Variable& variable = *operand.variable;
    const auto offset = uint64_t(operand.offset);
    if (variable.dynamic) {
        if (function_.function->is_entry)
            return constant(shared_offset(operand), bytes);
        if (operand.offset)
            fail("an offset from dynamic shared memory inside a device function");
        return special_register(Special::dynamic_smem_start, bytes);
    }
    if (variable.space == ptx::Space::local)
        fail("the address of a local variable is only known to mov");
    const bool shared = variable.space == ptx::Space::shared;
    return constant(offset + (shared ? module_.shared_offset(variable) : module_.address(variable)), bytes);
}

OperandRef Decoder::read_special(const ptx::Operand& operand, uint32_t bytes) {
    const Special special = special_named(operand.text);
    if (special == Special::none)
        fail(fmt::format("special register {} is not modelled", operand.text));
    if (special >= Special::count)
        fail(fmt::format("{} can only be read by mov", operand.text));
    if (bytes < 4)
        fail(fmt::format("{} read as {} bits", operand.text, bytes * 8));
    if (special == Special::zero)
        departs(reads_as_zero);
    return special_register(special, bytes);
}

OperandRef Decoder::read(const ptx::Operand& operand, uint32_t bytes) {
    using K = ptx::Operand::Kind;
    if (bytes > 8 && operand.kind != K::reg)
        fail(fmt::format("{}: {} bits are read from a register", source.opcode, 8 * bytes));
    switch (operand.kind) {
    case K::reg:
        return read_register(operand, bytes);
    case K::immediate:
        return constant(bits_of(operand, bytes), bytes);
    case K::variable:
        return read_address(operand, bytes);
    case K::special:
        return read_special(operand, bytes);
    case K::function: {
        const auto* target = module_.ptx().function(operand.text);
        if (!target)
            fail(fmt::format("unknown function {}", operand.text));
        return constant(module_.function_address(*target), bytes);
    }
    case K::param:
        fail(fmt::format("{}: a parameter's address is only known to mov and ld.param", source.opcode));
    default:
        fail(fmt::format("{}: this kind of operand cannot be read", source.opcode));
    }
}

OperandRef Decoder::predicate(const ptx::Operand& operand, uint32_t& flip) {
    flip = operand.negated ? ~0u : 0;
    if (operand.kind == ptx::Operand::Kind::immediate) {
        auto& pool = function_.constants; // [0]: all ones
        (void)pool;
        flip ^= operand.bits ? 0 : ~0u;
        return OperandRef::in(OperandRef::constants, 0);
    }
    if (operand.kind != ptx::Operand::Kind::reg || function_.register_bytes[operand.index] != 0)
        fail(fmt::format("{}: a predicate is needed", source.opcode));
    const OperandRef ref = function_.registers[operand.index];
    function_.reads[index_].push_back(ref);
    return ref;
}

OperandRef Decoder::write(const ptx::Operand& operand) {
    if (operand.kind == ptx::Operand::Kind::sink)
        return {};
    if (operand.kind != ptx::Operand::Kind::reg)
        fail(fmt::format("{}: the destination must be a register", source.opcode));
    const OperandRef ref = function_.registers[operand.index];
    function_.writes[index_].push_back(ref);
    return ref;
}

uint32_t Decoder::register_bytes(const ptx::Operand& operand, uint32_t otherwise) const {
    return operand.kind == ptx::Operand::Kind::reg ? function_.register_bytes[operand.index] : otherwise;
}

AddressRef Decoder::address(const ptx::Operand& operand, ptx::Space space) {
    using K = ptx::Operand::Kind;
    AddressRef result;
    result.space = space;
    const ptx::Operand* base = &operand;
    if (operand.kind == K::address) {
        result.offset = operand.offset;
        base = &operand.elements.at(0);
    }
    switch (base->kind) {
    case K::reg: {
        const uint32_t bytes = function_.register_bytes[base->index];
        if (bytes != 4 && bytes != 8)
            fail(fmt::format("{}: an address register has 32 or 64 bits", source.opcode));
        result.base = function_.registers[base->index];
        result.wide = bytes == 8;
        function_.address_reads[index_].push_back(result.base);
        result.offset += base->offset;
        break;
    }
    case K::variable:
        if (base->variable->space == ptx::Space::local) {
            // Local offsets are relative to the frame: local_base is added when the address is formed.
            result.offset += base->offset + int64_t(function_.local_offsets.at(base->variable));
            result.space = ptx::Space::local;
            result.base = OperandRef{};
        } else {
            result.base = read(*base, 8);
            result.wide = true;
            if (base->variable->space == ptx::Space::shared && own_addresses() &&
                !(base->variable->dynamic && !function_.function->is_entry)) {
                result.base = special_register(Special::own_shared, 8);
                result.offset += int64_t(shared_offset(*base));
            }
            if (space == ptx::Space::generic)
                result.space = base->variable->space;
        }
        break;
    case K::immediate:
        result.base = constant(base->bits, 8);
        result.wide = true;
        break;
    case K::param:
        result.space = ptx::Space::param;
        result.offset += base->offset;
        break;
    default:
        fail(fmt::format("{}: not an address", source.opcode));
    }
    return result;
}

uint64_t Decoder::immediate(size_t i) const {
    if (!is_immediate(i))
        fail(fmt::format("{}: operand {} must be a constant", source.opcode, i + 1));
    return operand(i).bits;
}

uint32_t Decoder::label(size_t i) const {
    if (operand(i).kind != ptx::Operand::Kind::label)
        fail(fmt::format("{}: a label is needed", source.opcode));
    return operand(i).index;
}

void decode(LoadedModule& module, DecodedFunction& function, size_t index) {
    Op& op = function.ops[index];
    op.guard = OperandRef::in(OperandRef::constants, 0);
    if (index == function.function->body().size()) {
        static const ptx::Instruction end = [] {
            ptx::Instruction instruction;
            instruction.opcode = "exit";
            return instruction;
        }();
        op.run = end_of_function;
        op.source = &end;
        return;
    }
    const ptx::Instruction& source = function.function->body()[index];
    op.source = &source;
    std::string why, targets;
    try {
        if (source.guard >= 0) {
            op.guard = function.registers[size_t(source.guard)];
            op.guard_flip = source.guard_negated ? ~0u : 0;
            function.address_reads[index].push_back(op.guard); // a pending guard is a use
        }
        op.record = module.find_instruction(source.opcode);
        if (!op.record) {
            why = fmt::format("instruction '{}' is not implemented by the simulated device", source.opcode);
        } else {
            op.effects = effects_of(*op.record, source.opcode);
            Decoder decoder(module, function, source, op, index);
            // A record without syntax takes anything (to refuse it in its own words).
            if (op.record->syntax.empty() ||
                match(op.record->syntax, op.record->name, source.opcode, source.operands.size(), decoder.form, why)) {
                why.clear();
                decoder.need(op.record->targets, source.opcode);
                op.use = op.record->use;
                op.run = op.record->decode(decoder);
                for (const Inexact& inexact : op.record->inexact)
                    if (!inexact.how.empty() && has_modifier(source.opcode, inexact.forms))
                        function.inexact[index] = &inexact;
                return;
            }
        }
    } catch (const TargetMissing& error) {
        why = error.what();
        targets = error.targets;
    } catch (const DecodeError& error) {
        why = error.what();
    } catch (const std::out_of_range&) {
        why = fmt::format("'{}': operand missing", source.opcode);
    }
    auto text = std::make_shared<Undecodable>(Undecodable{std::move(why), std::move(targets)});
    op.extra = text.get();
    function.extras.push_back(std::move(text));
    op.run = report_undecodable;
    op.effects = 0; // it has none: `extra` is no list of targets
    function.inexact[index] = &undecodable;
}

std::string needing_target(LoadedModule& module, std::string_view target) {
    for (const auto& function : module.ptx().functions) {
        if (function->body().empty())
            continue;
        const DecodedFunction& decoded = module.decoded(*function);
        for (size_t i = 0; i < decoded.ops.size(); ++i) {
            if (decoded.inexact[i] != &undecodable)
                continue;
            const Op& op = decoded.ops[i];
            const std::string& targets = static_cast<const Undecodable*>(op.extra)->targets;
            if (!targets.empty() && allows(target, targets))
                return op.source->opcode;
        }
    }
    return {};
}

} // namespace sim::machine
