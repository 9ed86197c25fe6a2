// The final report of a device inside the program itself: its findings, on stderr and as JSON.
#pragma once

#include <string>

#include "sim/report/finding.h"

namespace sim::cuda {

/// One finding as text: the places, the reason and the remedy.
std::string text(const hazards::Finding& finding);
/// Prints all findings, errors first; also writes them to `json_file` unless that is empty.
void print(const hazards::Reporter& reporter, const std::string& json_file);

} // namespace sim::cuda
