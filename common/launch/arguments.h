// The arguments of a launch: the parameter block that its kernel reads.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "launch/buffer.h"

namespace launch {

/// The block for `kernel` from "arguments" of `record`. Throws Mistake.
std::vector<std::byte> make_parameters(const Part& record, const sim::machine::Kernel& kernel, const Names& numbers,
                                       const std::vector<Buffer>& buffers);

/// A kernel's name as in its source: "ring" of "_Z4ringPKf".
std::string base_name(const std::string& mangled);

} // namespace launch
