// What the timing model says of a lab's kernel, beside its points.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "judge/checker.h"

namespace runner {

/// The report's, if it is worth showing: of a lab that passes, or lacks nothing but overlap.
std::optional<sim::timeline::Estimate> estimate_of(const judge::LabReport& report);
/// A paragraph, with the command that shows more.
std::string text(const sim::timeline::Estimate& estimate, const std::string& more, size_t width);
nlohmann::json to_json(const sim::timeline::Estimate& estimate, std::string_view of_case);

} // namespace runner
