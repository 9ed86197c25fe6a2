// A case's outcome in words, from a result alone: source lines come from the graded text, never from a file that a
// finding names.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace grader {

/// "hazard", "wrong", "hidden" …, in a few words.
std::string outcome_of(const nlohmann::json& item);
/// What a student should read about it: findings with their lines, the checker's message. Empty if it passed.
std::string explanation(const nlohmann::json& lab, const nlohmann::json& item);

} // namespace grader
