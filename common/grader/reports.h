// From a folder of results to everything that is made of them.
#pragma once

#include "grader/files.h"

namespace grader {

/// Reads out/results/*.json, writes the class's reports beside them. Throws runner::Problem if there are none.
void write_reports(const fs::path& out);

} // namespace grader
