// Canvas and Moodle take back a file that they have given out. It is filled in: whatever is not the one column stays as
// it is, byte by byte.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grader/formats/formats.h"

namespace grader {

struct Gradebook {
    std::string_view platform;
    std::vector<std::string_view> ids;   ///< columns that name students
    std::string_view maximum;            ///< column with the largest grade, if there is one
    std::vector<std::string_view> known; ///< columns that are no grades
};

Written fill(const Gradebook& book, const Source& source);

/// The names of the columns.
std::vector<std::string> header_of(std::string_view exported);

} // namespace grader
