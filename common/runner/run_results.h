// What `./lab run` writes beside its report: --json and --format.
#pragma once

#include <vector>

#include "runner/formats/format.h"
#include "runner/invocation.h"
#include "runner/run_program.h"

namespace runner {

/// The requested outputs. `stdout_is_ours`: set if a document goes to stdout, which the program's own output would
/// spoil. Throws Problem.
std::vector<formats::Wanted> outputs(const RunArguments& arguments, bool& stdout_is_ours);

void write_results(const Invocation& invocation, const RunArguments& arguments,
                   const std::vector<formats::Wanted>& formats);

} // namespace runner
