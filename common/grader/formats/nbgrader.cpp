#include "grader/formats/escape.h"
#include "grader/formats/formats.h"

namespace grader::nbgrader_format {

namespace {

std::string nbgrader(const std::vector<json>& results) {
    std::string text =
        csv_line(std::vector<std::string>{"assignment", "duedate", "timestamp", "student_id", "last_name", "first_name",
                                          "email", "raw_score", "late_submission_penalty", "score", "max_score"});
    for (const auto& result : results) {
        json students = result.value("students", json::array());
        if (students.empty())
            students.push_back({{"id", result.at("submission")}, {"name", ""}, {"email", ""}});
        for (const auto& student : students)
            for (const auto& lab : result.at("labs")) {
                const std::string name = student.at("name");
                const size_t blank = name.rfind(' ');
                const double raw = lab.at("points").get<double>() * lab.at("weight").get<double>();
                const double score = lab.at("score");
                text += csv_line(std::vector<std::string>{
                    lab.at("lab"), lab.value("due", ""), result.value("submitted", ""), student.at("id"),
                    blank == std::string::npos ? name : name.substr(blank + 1),
                    blank == std::string::npos ? "" : name.substr(0, blank), student.at("email"), number(raw),
                    number(raw - score), number(score), number(lab.at("out_of"))});
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
