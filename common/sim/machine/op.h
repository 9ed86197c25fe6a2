// A decoded instruction. Decoding happens once per function; executing one is a call through `run` and a loop over
// lanes.
#pragma once

#include <cstdint>

#include "sim/machine/effects.h"
#include "sim/ptx/module.h"

namespace sim::machine {

struct Exec;
struct Op;
struct Instruction;

/// How execution continues after an instruction.
enum class Flow : uint8_t {
    next,
    branch, ///< the handler has set the fragment's pc (and split the fragment if lanes disagree)
    block,  ///< the fragment waits (Fragment::wait says for what) and executes the same instruction again when woken
    exit,   ///< the executing lanes are gone
    fault,  ///< the launch stops; the handler called Exec::fail
};
using Handler = Flow (*)(Exec&, const Op&);

/// Where an operand's 32 lanes are: 2 bits select the base (frame, constants of the function, special registers of the
/// warp), the rest is a byte offset.
struct OperandRef {
    enum Base : uint32_t { frame = 0, constants = 1, specials = 2, none = 3 };
    uint32_t value = uint32_t{none} << 30;
    static OperandRef in(Base base, uint32_t offset) { return {uint32_t{base} << 30 | offset}; }
    Base base() const { return Base(value >> 30); }
    uint32_t offset() const { return value & 0x3fffffff; }
    bool exists() const { return base() != none; }
    bool operator==(const OperandRef&) const = default;
};

/// How an instruction treats a value whose load is still waiting to be reported (see Pending).
enum class Use : uint8_t {
    propagate, ///< results depend on the operands
    sink,      ///< the value has an effect: stores, addresses, branches, atomics, shuffles, copies
    select,    ///< selp: only the chosen operand counts
    where,     ///< `and` of predicates: the second operand counts only where the first is true
    unless,    ///< `or` of predicates: the second operand counts only where the first is false
    exchange,  ///< shfl: the first operand of another lane counts, so the instruction itself moves what is pending
};

/// An address operand: base register (32 or 64 bits wide, or none) plus offset.
struct AddressRef {
    OperandRef base;
    bool wide = false; ///< the base register has 64 bits
    int64_t offset = 0;
    ptx::Space space = ptx::Space::generic;
};

/// A flag of the .sync instructions of a warp: their member mask comes from activemask, and what they do depends on
/// which lanes that happens to name.
inline constexpr uint8_t mask_of_the_moment = 1u << 7;

struct Op {
    Handler run = nullptr;
    OperandRef guard;         ///< predicate: one 32-bit lane mask
    uint32_t guard_flip = 0;  ///< all ones for @!p
    OperandRef d, a, b, c, e; ///< d: destination; the rest sources, in the order of the PTX syntax
    AddressRef address, address2;
    uint64_t imm = 0;   ///< immediate, branch target, variable's address, whatever the handler wants
    uint32_t small = 0; ///< vector length, sizes, modes
    uint32_t width = 0; ///< bytes of one element for memory instructions
    uint8_t flags = 0;
    Use use = Use::propagate;
    bool affects_control = false;
    uint32_t effects = 0;        ///< bits of `effect`, see effects.h
    const void* extra = nullptr; ///< owned by the decoded function
    const Instruction* record = nullptr;
    const ptx::Instruction* source = nullptr;

    bool does(uint32_t any_of) const { return effects & any_of; }
    /// Does each lane load bytes of its own?
    bool loads_by_lane() const { return (effects & (effect::loads | effect::whole_warp)) == effect::loads && width; }
};

} // namespace sim::machine
