#include <fmt/format.h>

#include "base/csv.h"
#include "grader/formats/formats.h"
#include "grader/formats/results.h"
#include "grader/result/text.h"
#include "grader/result/time.h"

namespace grader::csv_format {

namespace {

std::string remarks(const Result& result) {
    std::vector<std::string> all = result.problems;
    for (const auto& lab : result.labs)
        if (!lab.person.empty())
            all.push_back(fmt::format("{}: {}", lab.number(), lab.person));
    return fmt::format("{}", fmt::join(all, "; "));
}

std::string csv(const std::vector<Result>& results) {
    if (results.empty())
        return {};
    std::vector<std::string> header{"submission", "name", "score", "possible"};
    const auto labs = labs_of(results);
    header.insert(header.end(), labs.begin(), labs.end());
    header.insert(header.end(), {"submitted", "remarks"});
    std::string text = base::csv_line(header);
    for (const auto& result : results) {
        std::vector<std::string> fields{result.submission, names_of(result, "; "),
                                        result.undecided() ? "" : number(result.score), number(result.possible)};
        for (const auto& name : labs) {
            const LabResult* lab = result.of(name);
            fields.push_back(lab && !result.undecided(*lab) ? number(lab->score) : "");
        }
        fields.push_back(result.submitted ? text_of(*result.submitted) : "");
        fields.push_back(remarks(result));
        text += base::csv_line(fields);
    }
    return text;
}

Written write(const Source& source) {
    return {csv(source.results)};
}

} // namespace

GRADE_FORMAT = {
    .name = "csv",
    .help = "grades.csv",
    .write = write,
    .report = "grades",
    .extension = ".csv",
};

} // namespace grader::csv_format
