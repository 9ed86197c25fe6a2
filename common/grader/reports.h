// From a folder of results to everything that is made of them.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "grader/files.h"

namespace grader {

/// Of a folder of results, or the one in a file, in the order of their names. Throws base::Problem if there are none.
std::vector<nlohmann::json> read_results(const fs::path& folder);

/// Reads out/results/*.json, writes the class's reports beside them. Throws base::Problem if there are none.
void write_reports(const fs::path& out);

} // namespace grader
