#include "base/csv.h"
#include "grader/formats/formats.h"
#include "grader/result/text.h"
#include "grader/result/time.h"

namespace grader::nbgrader_format {

namespace {

std::string time(const std::optional<Time>& moment) {
    return moment ? text_of(*moment) : "";
}

std::string nbgrader(const std::vector<Result>& results) {
    std::string text = base::csv_line({"assignment", "duedate", "timestamp", "student_id", "last_name", "first_name",
                                       "email", "raw_score", "late_submission_penalty", "score", "max_score"});
    for (const auto& result : results) {
        std::vector<Student> students = result.students;
        if (students.empty())
            students.push_back({result.submission, "", ""});
        for (const auto& [id, name, email] : students)
            for (const auto& lab : result.labs) {
                const size_t blank = name.rfind(' ');
                const bool undecided = result.undecided(lab);
                const double raw = lab.points * lab.weight;
                text += base::csv_line({lab.lab, time(lab.due), time(result.submitted), id,
                                        blank == std::string::npos ? name : name.substr(blank + 1),
                                        blank == std::string::npos ? "" : name.substr(0, blank), email,
                                        undecided ? "" : number(raw), undecided ? "" : number(raw - lab.score),
                                        undecided ? "" : number(lab.score), number(lab.out_of)});
            }
    }
    return text;
}

Written write(const Source& source) {
    return {nbgrader(source.results)};
}

} // namespace

GRADE_FORMAT = {
    .name = "nbgrader",
    .help = "the columns of nbgrader export",
    .write = write,
    .extension = ".csv",
};

} // namespace grader::nbgrader_format
