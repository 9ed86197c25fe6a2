// Canvas: Grades, Export Entire Gradebook. Students are matched by ID, SIS User ID, SIS Login ID or Integration ID.
#include "grader/formats/gradebook.h"

namespace grader::canvas_format {
namespace {

Written write(const Source& source) {
    const std::vector<std::string_view> ids{"ID", "SIS User ID", "SIS Login ID", "Integration ID"};
    std::vector<std::string_view> known = ids;
    known.insert(known.end(), {"Student",
                               "Section",
                               "Root Account",
                               "Notes",
                               "Student Name",
                               "Group Name",
                               "Group ID",
                               "Current Score",
                               "Unposted Current Score",
                               "Final Score",
                               "Unposted Final Score",
                               "Current Grade",
                               "Unposted Current Grade",
                               "Final Grade",
                               "Unposted Final Grade",
                               "Current Points",
                               "Final Points",
                               "Override Score",
                               "Override Grade",
                               "Comments"});
    return fill({"Canvas", ids, "", known, "Comments", "EX"}, source);
}

} // namespace

GRADE_FORMAT = {
    .name = "canvas",
    .help = "fills in a gradebook exported from Canvas",
    .of = Format::Of::gradebook,
    .write = write,
    .extension = ".csv",
};

} // namespace grader::canvas_format
