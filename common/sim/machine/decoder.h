// What an instruction record's decode function works with: the matched form, typed access to operands, and the Op to
// fill in.
#pragma once

#include <stdexcept>
#include <string>

#include "sim/machine/instruction.h"
#include "sim/machine/program.h"
#include "sim/machine/syntax.h"

namespace sim::machine {

/// The instruction cannot be decoded; executing it reports `what`.
struct DecodeError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Decoder {
  public:
    Decoder(LoadedModule& module, DecodedFunction& function, const ptx::Instruction& source, Op& op, size_t index)
        : op(op), source(source), module_(module), function_(function), index_(index) {}

    Form form;
    Op& op;
    const ptx::Instruction& source;

    size_t operand_count() const { return source.operands.size(); }
    const ptx::Operand& operand(size_t i) const { return source.operands.at(i); }

    bool has(std::string_view slot) const { return form.has(slot); }
    std::string_view value(std::string_view slot, size_t nth = 0) const { return form.value(slot, nth); }
    /// The type in a slot (".type"). Throws DecodeError if there is none.
    ptx::Type type(std::string_view slot = ".type", size_t nth = 0) const;
    /// The state space in a slot: ".shared::cta" -> shared, nothing -> generic.
    ptx::Space space(std::string_view slot) const;

    /// Operand `i` as 32 readable lanes of at least `bytes` bytes each: a register, an immediate, the address of a
    /// variable, a special register. Immediates become lanes of exactly `bytes` bytes; a float immediate is converted.
    OperandRef read(size_t i, uint32_t bytes) { return read(operand(i), bytes); }
    OperandRef read(const ptx::Operand& operand, uint32_t bytes);
    /// Do the blocks of a cluster have different addresses for a shared variable (Block::own_tag)?
    bool own_addresses() const;
    /// The offset of a shared variable, which is not a dynamic one of a device function.
    uint64_t shared_offset(const ptx::Operand& variable) const;
    /// Operand `i` as a predicate (one lane mask); `flip` is all ones for !p. Accepts immediates 0 and 1.
    OperandRef predicate(size_t i, uint32_t& flip) { return predicate(operand(i), flip); }
    OperandRef predicate(const ptx::Operand& operand, uint32_t& flip);
    /// Operand `i` as a destination register; does not exist() for the sink `_`.
    OperandRef write(size_t i) { return write(operand(i)); }
    OperandRef write(const ptx::Operand& operand);
    /// Bytes per lane of the register in operand `i` (0: predicate); the given default for anything else.
    uint32_t register_bytes(const ptx::Operand& operand, uint32_t otherwise) const;
    /// Operand `i` as an address [base + offset] in `space`.
    AddressRef address(size_t i, ptx::Space space) { return address(operand(i), space); }
    AddressRef address(const ptx::Operand& operand, ptx::Space space);
    /// A 32-bit constant operand. Throws DecodeError if it is not an immediate.
    uint64_t immediate(size_t i) const;
    bool is_immediate(size_t i) const { return operand(i).kind == ptx::Operand::Kind::immediate; }
    /// Index of the instruction a label operand names.
    uint32_t label(size_t i) const;

    /// Keeps `object` alive with the function and returns it.
    template <class T>
    T* keep(T object) {
        auto owned = std::make_shared<T>(std::move(object));
        function_.extras.push_back(owned);
        return owned.get();
    }
    /// The simulated device departs from the manual here, whatever the record says.
    void departs(const Inexact& inexact) { function_.inexact[index_] = &inexact; }
    LoadedModule& module() { return module_; }
    DecodedFunction& function() { return function_; }
    size_t index() const { return index_; }
    /// Refuses `what`, a form or modifier, unless the module is for a target that has it (see target.h).
    void need(std::string_view targets, std::string_view what) const;
    [[noreturn]] void fail(const std::string& why) const { throw DecodeError(why); }
    /// Lanes holding `value` in the low `bytes` bytes.
    OperandRef constant(uint64_t value, uint32_t bytes);

  private:
    OperandRef read_register(const ptx::Operand& operand, uint32_t bytes);
    OperandRef read_address(const ptx::Operand& operand, uint32_t bytes); ///< of a variable
    OperandRef read_special(const ptx::Operand& operand, uint32_t bytes);

    LoadedModule& module_;
    DecodedFunction& function_;
    size_t index_;
};

/// What DecodedFunction::inexact says of an instruction that cannot be decoded.
inline constexpr Inexact undecodable{.forms = {}, .how = "not executed", .judged = false};

/// Finds the record of op's source, matches its syntax and lets it decode. An instruction that is not known or does not
/// fit becomes an op that reports itself when it is executed.
void decode(LoadedModule& module, DecodedFunction& function, size_t index);

} // namespace sim::machine
