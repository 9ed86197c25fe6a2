// Targets that nvcc makes the same PTX for.
#pragma once

#include <vector>

#include "compile/compiler.h"

namespace judge {

/// For each of the targets the next one whose PTX is the same but for the line that names the target; its own index if
/// there is none.
std::vector<size_t> next_alike(const compile::Compiled& compiled, const std::vector<check::Target>& targets);

} // namespace judge
