// A line for each case of each lab and student: for a spreadsheet in which a person grades on.
#include <fmt/format.h>

#include "grader/formats/escape.h"
#include "grader/formats/formats.h"
#include "grader/formats/results.h"
#include "grader/formats/rubric_rows.h"

namespace grader::rubric_format {
namespace {

std::string rubric(const std::vector<json>& results) {
    using Fields = std::vector<std::string>;
    std::string text = csv_line(Fields{"submission", "name", "lab", "tests", "what is shown", "points", "got",
                                       "why not", "line", "shown to students"});
    for (const auto& result : results)
        for (const auto& lab : result.at("labs")) {
            const double weight = lab.at("weight");
            for (const auto& row : rubric_of(lab))
                text += csv_line(Fields{result.at("submission"), names_of(result), lab.at("lab"), row.group, row.name,
                                        number(row.points * weight), number(row.got * weight), row.why,
                                        row.line ? std::to_string(row.line) : "", row.hidden ? "no" : "yes"});
        }
    return text;
}

Written write(const Source& source) {
    return {rubric(source.results)};
}

} // namespace

GRADE_FORMAT = {
    .name = "rubric",
    .help = "rubric.csv: each student's cases, with the reasons",
    .write = write,
    .report = "rubric",
    .extension = ".csv",
};

} // namespace grader::rubric_format
