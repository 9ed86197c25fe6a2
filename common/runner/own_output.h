// What a program printed, as far as a report does not say it anyway.
#pragma once

#include <string>

#include "check/verdict.h"

namespace runner {

/// Without the runtime's messages that a finding or the case's message holds. Of a table, the lines below the first one
/// are indented.
std::string own_output(const check::RunResult& result);

} // namespace runner
