#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "grader/formats/explain.h"
#include "grader/formats/formats.h"
#include "grader/formats/results.h"
#include "grader/result/text.h"

namespace grader::prairielearn_format {

namespace {

nlohmann::json prairielearn(const Result& whole) {
    using nlohmann::json;
    const Result result = for_students(whole);
    json tests = json::array(), errors = json::array();
    size_t handed_in = 0;
    for (const auto& lab : result.labs) {
        handed_in += lab.handed_in.has_value();
        if (lab.handed_in && !lab.handed_in->compile_errors.empty())
            errors.push_back(base::plain(lab.lab + " does not compile:\n" + lab.handed_in->compile_errors));
        const Worth each = worth_of(lab);
        for (const auto& item : lab.cases)
            tests.push_back({{"name", test_name(lab, item)},
                             {"points", item.earned * each.earned},
                             {"max_points", item.points * each.possible},
                             {"message", item.passed ? "" : base::plain(outcome_of(item))},
                             {"output", item.passed ? "" : explanation(lab, item)}});
    }
    std::string output;
    for (const auto& problem : result.problems)
        output += base::plain(problem) + "\n";
    json report{{"gradable", true},
                {"score", result.possible > 0 ? result.score / result.possible : 0},
                {"message", fmt::format("{} of {} points", number(result.score), number(result.possible))},
                {"output", output},
                {"tests", tests}};
    // Nothing to grade costs no attempt.
    if (!handed_in || errors.size() == handed_in) {
        report["gradable"] = false;
        report["format_errors"] =
            handed_in ? errors
                      : json::array({result.unrecognised.empty()
                                         ? "there is no kernel for any lab"
                                         : base::plain(fmt::format("these files name no lab: {}",
                                                                   fmt::join(result.unrecognised, ", ")))});
    }
    return report;
}

Written write(const Source& source) {
    return {lines(prairielearn(source.results.front()))};
}

} // namespace

GRADE_FORMAT = {
    .name = "prairielearn",
    .help = "PrairieLearn's results.json",
    .of = Format::Of::each,
    .write = write,
    .extension = ".json",
};

} // namespace grader::prairielearn_format
