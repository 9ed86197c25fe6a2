// A recorded block, stepped through: written as an HTML page.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/report/finding.h"
#include "sim/stepper/recording.h"

namespace runner {

namespace fs = std::filesystem;

/// Writes the page (or, if `out` ends in .json, the recording alone) and says where it is. Throws Problem if the
/// recording is empty.
void show_steps(std::FILE* terminal, const std::string& title, const sim::stepper::Recording& recording,
                const std::vector<sim::hazards::Finding>& findings, uint64_t block, const fs::path& out);

} // namespace runner
