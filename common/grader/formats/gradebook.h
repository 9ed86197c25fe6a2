// Canvas and Moodle import a file that they have exported. Fills it in: everything but the one column and empty
// comments stays as it is, byte by byte.
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
    std::string_view comment{};          ///< column for the summary, if there is one
    std::string_view excused{};          ///< in place of a grade; empty: there is no such thing
};

Written fill(const Gradebook& book, const Source& source);

/// The names of the columns.
std::vector<std::string> header_of(std::string_view exported);

} // namespace grader
