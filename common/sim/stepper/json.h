// A recording as the page that shows it reads it: one JSON document. Making it needs no file and no process, only a
// device.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/stepper/moments.h"

namespace sim::stepper {

struct PageInput {
    std::string title;                      ///< "05_multistage: kernel.cu"
    std::vector<hazards::Finding> findings; ///< of the run that was recorded, as a report shows them
    /// The text of a source file; empty: there is none.
    std::function<std::string(const std::string& file)> source;
};

/// {"title", "kernel", "grid", "launch", "blocks", "threads", "reserved", "shared", "kinds", "steps", "skipped",
/// "left_out", "places", "barriers", "maps", "map_fields", "parts", "files", "findings"}. The steps' fields have one
/// letter each: see json.cpp.
std::string json(const Recording& recording, const PageInput& input);

} // namespace sim::stepper
