// A line for each case of each lab and student: for a spreadsheet in which a person grades on.
#include "base/csv.h"
#include "grader/formats/formats.h"
#include "grader/formats/results.h"
#include "grader/formats/rubric_rows.h"
#include "grader/result/text.h"

namespace grader::rubric_format {
namespace {

std::string rubric(const std::vector<Result>& results) {
    std::string text = base::csv_line({"submission", "name", "lab", "tests", "what is shown", "points", "got",
                                       "why not", "line", "shown to students"});
    for (const auto& result : results)
        for (const auto& lab : result.labs)
            for (const auto& row : rubric_of(lab))
                text += base::csv_line({result.submission, names_of(result), lab.lab, row.group, row.name,
                                        number(row.points * lab.weight),
                                        result.undecided(lab) ? "" : number(row.got * lab.weight), row.why,
                                        row.line ? std::to_string(row.line) : "", row.hidden ? "no" : "yes"});
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
