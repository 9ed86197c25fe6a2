// A recorded block's timeline: printed, and written as Chrome trace JSON and as an HTML page.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "sim/timeline/model.h"
#include "sim/timeline/recording.h"

namespace runner {

namespace fs = std::filesystem;

/// Writes `out` with the extensions .json and .html, and describes the picture on the terminal, if there is one.
/// Returns the numbers. Throws Problem if the recording is empty.
nlohmann::json show_trace(std::FILE* terminal, const std::string& title, const sim::timeline::Recording& recording,
                          const fs::path& out, const sim::timeline::Model& model = {});

} // namespace runner
