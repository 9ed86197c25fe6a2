// A lab's report for people.
#pragma once

#include <string>

#include "judge/checker.h"
#include "runner/terminal.h"

namespace runner {

/// Cases and points, then what went wrong: compile errors, else hazards, else wrong results, else the missing
/// mechanism; warnings and notes; time taken. `again` is the command that repeats the check: "./lab check 03".
std::string text(const judge::LabReport& report, const check::Lab& lab, const std::string& again, const Look& look);
/// The part of it about one case that failed.
std::string what_happened(const judge::CaseReport& item, const judge::LabReport& report, const Look& look);
/// Does it fail a case by itself?
bool is_error(const sim::hazards::Finding& finding);

} // namespace runner
