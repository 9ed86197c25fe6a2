// What the HTML pages of a class and of one student have in common.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace grader {

/// Everything up to the heading. Nothing is loaded from anywhere, and there is no script: `details` opens a student's
/// findings.
std::string page_head(const std::string& title);
constexpr const char* page_end = "</body></html>\n";

/// What was found in each lab of a result, with the source.
std::string findings(const nlohmann::json& result);

} // namespace grader
