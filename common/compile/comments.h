// Changes of a .cu file that no compiler sees.
#pragma once

#include <string>
#include <string_view>

namespace compile {

/// `source` with blanks for its comments, and without those at the ends of lines: equal for sources that differ in
/// comments alone, as long as these move no code to another line or column. A source in which it is not plain what a
/// comment is (raw strings, comments in directives) stays as it is.
std::string blank_comments(std::string_view source);

} // namespace compile
