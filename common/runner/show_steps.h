// A recorded block, stepped through: written as an HTML page.
#pragma once

#include <cstdio>
#include <filesystem>
#include <optional>
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

/// The first error, or else the first warning; nullptr: there is none.
const sim::hazards::Finding* worst(const std::vector<sim::hazards::Finding>& findings);
/// The block in which `finding` was seen, if it is none of those recorded.
std::optional<uint64_t> other_block(const sim::stepper::Recording& recording, const sim::hazards::Finding& finding);

} // namespace runner
