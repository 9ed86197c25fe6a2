// Moodle: an assignment's grading worksheet, or an export of grades. Students are matched by participant number, ID
// number, username or e-mail address.
#include <algorithm>

#include "grader/formats/gradebook.h"

namespace grader::moodle_format {
namespace {

Written write(const Source& source) {
    const std::vector<std::string_view> ids{"Identifier", "ID number", "Username", "Email address"};
    Source chosen = source;
    if (const auto names = header_of(source.exported);
        chosen.fill.column.empty() && std::find(names.begin(), names.end(), "Grade") != names.end())
        chosen.fill.column = "Grade"; // of a grading worksheet
    std::vector<std::string_view> known = ids;
    known.insert(known.end(), {"First name", "Surname", "Last name", "Full name", "Institution", "Department",
                               "Last downloaded from this course", "Course total (Real)", "Status", "Maximum Grade",
                               "Grade can be changed", "Last modified (submission)", "Online text",
                               "Last modified (grade)", "Feedback comments"});
    return fill({"Moodle", ids, "Maximum Grade", known, "Feedback comments"}, chosen);
}

} // namespace

GRADE_FORMAT = {
    .name = "moodle",
    .help = "fills in a grading worksheet or an export of Moodle",
    .of = Format::Of::gradebook,
    .write = write,
    .extension = ".csv",
};

} // namespace grader::moodle_format
