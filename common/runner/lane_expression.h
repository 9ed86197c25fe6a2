// Formulas of what the threads of a warp hold, for the debugger: "threadIdx.x == 5 && %r1 > 3".
#pragma once

#include <optional>
#include <set>
#include <string>

#include "launch/formula.h"
#include "sim/machine/exec.h"

namespace runner {

class LaneExpression {
  public:
    /// Throws base::Problem.
    explicit LaneExpression(const std::string& text);
    LaneExpression(const LaneExpression&) = delete;
    /// nullopt: the function that runs has not all of the registers.
    std::optional<double> value(sim::machine::Exec& x, int lane);

  private:
    launch::Names names_{};
    std::set<std::string> words_;
    std::optional<launch::Formula> formula_;
};

/// What a register of the function that runs holds: the one with this number in ptx::Function::registers.
double register_value(sim::machine::Exec& x, size_t index, int lane);

} // namespace runner
