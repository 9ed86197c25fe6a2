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
/// One submission's results.json: https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format
json gradescope(const json& result);
/// A test suite for each submission and lab, as Jenkins, GitLab and GitHub actions read it.
std::string junit(const std::vector<json>& results);
/// One page that needs nothing else: table, distributions, most frequent rules, each student's findings with source.
std::string html(const std::vector<json>& results, std::string_view title);

} // namespace grader
