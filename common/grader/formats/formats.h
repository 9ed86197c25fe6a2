// What a result becomes for others: each a pure function of results (docs/grading.md describes them). Whatever a
// student had a say in is escaped for where it ends up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace grader {

using nlohmann::json;

/// All submissions, one line each: id, name, score, points of each lab, remarks.
std::string csv(const std::vector<json>& results);

} // namespace grader
