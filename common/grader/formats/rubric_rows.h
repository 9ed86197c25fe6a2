// A lab's result as a rubric: each requirement, its points, the points given, and why some are missing.
#pragma once

#include <string>
#include <vector>

#include "grader/formats/results.h"

namespace grader {

struct RubricRow {
    std::string group; ///< the subject: "results", "the mechanism"; or "given by a person", "late policy"
    std::string name;
    double points = 0, got = 0; ///< of the lab's own points, before its weight
    bool passed = false, hidden = false;
    std::string why{};                ///< one line; empty: all points were earned
    size_t line = 0;                  ///< of kernel.cu; 0: none is to blame
    const CaseResult* item = nullptr; ///< the case; of `lab`
};

/// In the order of the groups, and of the cases in each. `lab` must outlive it.
std::vector<RubricRow> rubric_of(const LabResult& lab);

} // namespace grader
