// Findings as they leave the program, and as another process of it reads them.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/report/finding.h"
#include "sim/report/gap.h"

namespace sim::hazards {

/// {"rule", "severity": "error" | "warning" | "note", "kernel", "first": {"file", "line", "column", "threads",
/// "action", "kernel", "alternatives", "calls": [{"file", "line", "column", "function"}]}, "others": […], "message",
/// "remedy", "count", "schedule", "warps", "seed"}
nlohmann::json to_json(const Finding& finding);
nlohmann::json to_json(const std::vector<Finding>& findings);
/// Throws nlohmann::json::exception when a field is missing.
Finding finding_from(const nlohmann::json& json);

/// {"what", "next"} each.
nlohmann::json to_json(const std::vector<Gap>& gaps);
/// {"exactly", "not_reached": numbers of instructions, "approximately", "not": [{"what", "how", "file", "line",
/// "judged"}]}
nlohmann::json to_json(const machine::Executed& executed);

/// The findings that a report shows: errors, then warnings, then notes, otherwise in the order of detection, each with
/// a remedy.
std::vector<Finding> reported(const Reporter& reporter);

} // namespace sim::hazards
