// A case's outcome in words, from a result alone: source lines come from the graded text, never from a file that a
// finding names.
#pragma once

#include <string>

#include "grader/result/result.h"

namespace grader {

/// "hazard", "wrong", "hidden" …, in a few words.
std::string outcome_of(const CaseResult& item);
/// The explanation for the student: findings with their lines, the checker's message. Empty if it passed.
std::string explanation(const LabResult& lab, const CaseResult& item);

} // namespace grader
