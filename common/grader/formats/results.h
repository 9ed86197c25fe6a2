// What formats look up in results.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "grader/result/result.h"

namespace grader {

/// What students may see of it: hidden cases are left out, and counted neither in points nor in possible points. So are
/// seeds.
Result for_students(Result result);

/// The labs that any of the results has, in order. Results need not be of the same ones.
std::vector<std::string> labs_of(const std::vector<Result>& results);

/// Who handed it in, as far as the download says: of a group, several.
std::string names_of(const Result& result, std::string_view between = ", ");

/// "03_pipeline_primitives: ragged tail", for a list of tests.
std::string test_name(const LabResult& lab, const CaseResult& item);

/// What one point of a lab's cases is worth after weight and lateness: of those earned, and of those possible. They
/// spread evenly over a lab's points.
struct Worth {
    double earned = 0, possible = 0;
};
Worth worth_of(const LabResult& lab);

/// A document with a line end; invalid UTF-8 is replaced.
std::string lines(const nlohmann::json& document);

} // namespace grader
