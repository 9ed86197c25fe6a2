// `./lab run`, for commands that show a run of a program.
#pragma once

#include "runner/command.h"
#include "runner/run_program.h"

namespace runner {

/// Runs `arguments.files`, or the command in `arguments.arguments`, and reports. `simulated`: options were given that
/// only the simulated device has. Throws Problem.
void run_programs(Context& context, RunArguments arguments, bool simulated);

} // namespace runner
