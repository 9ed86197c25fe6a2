// Findings as JSON (what --json writes and what workers send) and as text (what people read).
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "sim/report/finding.h"

namespace check {

/// {"rule", "severity": "error" | "note", "kernel", "first": {"file", "line", "column", "threads", "action",
/// "alternatives"}, "others": [...], "message", "remedy", "count", "schedule", "warps", "seed"}
nlohmann::json to_json(const sim::hazards::Finding& finding);
/// Errors before notes, otherwise in the order of detection.
nlohmann::json to_json(const sim::hazards::Reporter& reporter);

struct ReportStyle {
    bool colour = false;
    std::filesystem::path base; ///< file names are shown relative to it
    std::string again;          ///< the command that replays the finding, without its schedule; empty: no such line
    std::string again_end{};    ///< what follows the schedule in it
    size_t width = 0;           ///< of the terminal; 0: lines are as long as they are
};
/// The finding with both source lines, why it is wrong and how to replay it.
std::string text(const nlohmann::json& finding, const ReportStyle& style);

} // namespace check
