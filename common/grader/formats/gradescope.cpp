#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "grader/formats/explain.h"
#include "grader/formats/formats.h"
#include "grader/formats/results.h"

namespace grader::gradescope_format {

namespace {

nlohmann::json gradescope(const Result& result) {
    using nlohmann::json;
    json tests = json::array();
    for (const auto& lab : result.labs) {
        const Worth each = worth_of(lab);
        int number = 0;
        for (const auto& item : lab.cases)
            tests.push_back({{"name", fmt::format("{}: {}", lab.lab, item.name)},
                             {"number", fmt::format("{}.{}", lab.number(), ++number)},
                             {"score", item.earned * each.earned},
                             {"max_score", item.points * each.possible},
                             {"status", item.passed ? "passed" : "failed"},
                             {"output", item.passed ? "" : explanation(lab, item)},
                             {"output_format", "text"},
                             {"visibility", item.hidden ? "hidden" : "visible"}});
    }
    std::string output;
    for (const auto& problem : result.problems)
        output += base::plain(problem) + "\n";
    return {{"score", result.score},
            {"output", output},
            {"output_format", "text"},
            {"stdout_visibility", "hidden"},
            {"tests", tests},
            {"extra_data",
             {{"isolation",
               {{"level", result.isolation.level},
                {"layers", result.isolation.layers},
                {"not_stopped", result.isolation.not_stopped}}},
              {"inputs", result.inputs}}}};
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
