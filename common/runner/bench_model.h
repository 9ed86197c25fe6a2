// What the timing model of `./lab trace` expects of a lab's versions: how long one block takes that has an SM to
// itself.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "judge/compile.h"

namespace runner {

/// Modelled cycles by variant, as check::measure names them. Runs the lab's LAB_BENCH on the simulated device, in this
/// process, for the first `most` variants. Throws Problem when it does not run.
std::map<std::string, uint64_t> modelled_cycles(const judge::Compiler& compiler, const judge::Compiled& compiled,
                                                const check::ListedLab& lab, size_t most = SIZE_MAX);

} // namespace runner
