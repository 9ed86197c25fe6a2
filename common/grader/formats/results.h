// What formats look up in results.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace grader {

using nlohmann::json;

/// What students may see of it: hidden cases are left out, and counted neither in points nor in possible points. So are
/// seeds.
json for_students(json result);

/// The labs that any of the results has, in order. Results need not be of the same ones.
std::vector<std::string> labs_of(const std::vector<json>& results);
/// What a result says of a lab; nullptr: nothing.
const json* result_of(const json& result, std::string_view lab);

/// Who handed it in, as far as the download says: of a group, several.
std::string names_of(const json& result);

/// "03_pipeline_primitives: ragged tail", for a list of tests.
std::string test_name(const json& lab, const json& item);

/// A document with a line end; what is not UTF-8 is replaced.
std::string lines(const json& document);

} // namespace grader
