// What `./lab run` writes beside its report: --json and --format.
#pragma once

#include <vector>

#include "runner/formats/format.h"
#include "runner/invocation.h"
#include "runner/run_program.h"

namespace runner {

/// What is wanted. `stdout_is_ours`: what a program says on its way is its own; what goes to stdout for others to read
/// must stand there alone. Throws Problem.
std::vector<formats::Wanted> outputs(const RunArguments& arguments, bool& stdout_is_ours);

void write_results(const Invocation& invocation, const RunArguments& arguments,
                   const std::vector<formats::Wanted>& formats);

} // namespace runner
