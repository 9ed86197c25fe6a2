// The part of a program's output that a report does not repeat.
#pragma once

#include <string>

#include "check/verdict.h"

namespace runner {

/// Leaves out the runtime's messages that a finding or the case's message holds. In a table, the lines below the first
/// one are indented.
std::string own_output(const check::RunResult& result);

} // namespace runner
