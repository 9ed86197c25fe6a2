// Names and numbers as the grader writes them.
#pragma once

#include <string>
#include <string_view>

namespace grader {

/// A file name: letters and digits of any script, dots, dashes and underscores, never empty, hidden or longer than 100
/// bytes.
std::string file_name(std::string_view text);
/// Points as people write them: 7, 7.5, 6.333333.
std::string number(double value);

} // namespace grader
