// Matches an opcode against the syntax of an instruction record, which is written in the PTX manual's notation:
//
//   ld{.weak}{.ss}{.level::prefetch_size}{.vec}.type d, [a]{, cache-policy};
//   .ss = { .const, .global, .shared{::cta, ::cluster} };
//   .type = { .u32, .f32 };
//
// Several forms may be listed, each ended by ';'. `{.x}` is optional, `.x` is required. A name that is defined by a
// `.x = { ... };` line stands for one of its members; any other name stands for itself. Modifiers may come in any order
// (ptxas is lenient, too), except that members of one set fill its slots from left to right (cvt.f32.f16).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sim::machine {

class Form {
  public:
    /// Is this modifier (".sat") or a member of this set (".rnd") present?
    bool has(std::string_view slot) const { return !value(slot).empty(); }
    /// The member that fills the slot, with its dot; empty if the slot is optional and not given.
    std::string_view value(std::string_view slot, size_t nth = 0) const;
    /// Which of the record's forms matched, from 0.
    size_t index() const { return index_; }
    /// Operand names of the matched form as written: "d", "[a]".
    const std::vector<std::string>& operands() const { return operands_; }
    size_t required_operands() const { return required_; }

  private:
    friend bool match(std::string_view syntax, std::string_view name, std::string_view opcode, size_t operand_count,
                      Form& form, std::string& why);
    std::vector<std::pair<std::string, std::string>> slots_;
    std::vector<std::string> operands_;
    size_t required_ = 0;
    size_t index_ = 0;
};

/// Matches `opcode` (its mnemonic `name` included) with `operand_count` operands against `syntax`. On failure returns
/// false, and `why` names the modifier that does not fit.
bool match(std::string_view syntax, std::string_view name, std::string_view opcode, size_t operand_count, Form& form,
           std::string& why);

} // namespace sim::machine
