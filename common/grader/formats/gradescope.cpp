#include <fmt/format.h>

#include "grader/formats/escape.h"
#include "grader/formats/explain.h"
#include "grader/formats/formats.h"
#include "grader/formats/results.h"

namespace grader::gradescope_format {

namespace {

json gradescope(const json& result) {
    json tests = json::array();
    for (const auto& lab : result.at("labs")) {
        // Weights and lateness spread evenly over a lab's points.
        const double possible = lab.at("possible"), points = lab.at("points");
        const double worth = possible > 0 ? lab.at("out_of").get<double>() / possible : 0;
        const double earned = points > 0 ? lab.at("score").get<double>() / points : 0;
        const std::string number_of_lab = lab.at("lab").get<std::string>().substr(0, 2);
        int number = 0;
        for (const auto& item : lab.at("cases")) {
            const bool passed = item.at("passed");
            const double points_here = item.at("points");
            tests.push_back(
                {{"name", fmt::format("{}: {}", lab.at("lab").get<std::string>(), item.at("name").get<std::string>())},
                 {"number", fmt::format("{}.{}", number_of_lab, ++number)},
                 {"score", passed ? points_here * earned : 0},
                 {"max_score", points_here * worth},
                 {"status", passed ? "passed" : "failed"},
                 {"output", passed ? "" : explanation(lab, item)},
                 {"output_format", "text"},
                 {"visibility", item.value("hidden", false) ? "hidden" : "visible"}});
        }
    }
    std::string output;
    for (const auto& problem : result.at("problems"))
        output += plain(problem.get<std::string>()) + "\n";
    return {{"score", result.at("score")},
            {"output", output},
            {"output_format", "text"},
            {"stdout_visibility", "hidden"},
            {"tests", tests},
            {"extra_data", {{"isolation", result.at("isolation")}, {"inputs", result.at("inputs")}}}};
}

Written write(const Source& source) {
    return {lines(gradescope(source.results.front()))};
}

} // namespace

GRADE_FORMAT = {
    .name = "gradescope",
    .help = "Gradescope's results.json",
    .of = Format::Of::each,
    .write = write,
    .report = "gradescope",
    .extension = ".json",
};

} // namespace grader::gradescope_format
