#include <fmt/format.h>

#include "grader/formats/escape.h"
#include "grader/formats/explain.h"
#include "grader/formats/formats.h"
#include "grader/formats/results.h"

namespace grader::prairielearn_format {

namespace {

json prairielearn(const json& whole) {
    const json result = for_students(whole);
    json tests = json::array(), errors = json::array();
    size_t handed_in = 0;
    for (const auto& lab : result.at("labs")) {
        const std::string name = lab.at("lab");
        handed_in += lab.contains("source");
        if (const std::string problem = lab.value("compile_errors", ""); !problem.empty())
            errors.push_back(plain(name + " does not compile:\n" + problem));
        const double points = lab.at("points"), possible = lab.at("possible");
        const double earned = points > 0 ? lab.at("score").get<double>() / points : 0;
        const double worth = possible > 0 ? lab.at("out_of").get<double>() / possible : 0;
        for (const auto& item : lab.at("cases")) {
            const bool passed = item.at("passed");
            const double most = item.at("points");
            tests.push_back({{"name", plain(name + ": " + item.at("name").get<std::string>())},
                             {"points", passed ? most * earned : 0},
                             {"max_points", most * worth},
                             {"message", passed ? "" : plain(outcome_of(item))},
                             {"output", passed ? "" : explanation(lab, item)}});
        }
    }
    std::string output;
    for (const auto& problem : result.at("problems"))
        output += plain(problem.get<std::string>()) + "\n";
    const double score = result.at("score"), possible = result.at("possible");
    json report{{"gradable", true},
                {"score", possible > 0 ? score / possible : 0},
                {"message", fmt::format("{} of {} points", number(score), number(possible))},
                {"output", output},
                {"tests", tests}};
    // Nothing to grade costs no attempt.
    if (!handed_in || errors.size() == handed_in) {
        report["gradable"] = false;
        report["format_errors"] = handed_in ? errors : json::array({"there is no kernel for any lab"});
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
