// A stand-in for machine::Gpu in tests of the CUDA runtime: memory is real, kernels are C++ functions, and every
// operation's order is recorded.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/machine/gpu.h"

namespace fake {

struct Record {
    sim::machine::OperationId id;
    std::string what;
    std::vector<sim::machine::OperationId> unordered;
};
/// What ran, in the order of execution.
std::vector<Record>& records();

using Body = std::function<sim::machine::Outcome(sim::machine::Gpu&, const sim::machine::LaunchConfig&,
                                                 std::span<const std::byte> parameters)>;
/// What a kernel of this name does when it is launched.
void define_kernel(const std::string& name, Body body);

} // namespace fake
