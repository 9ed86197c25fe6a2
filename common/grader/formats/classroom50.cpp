// result.json of Classroom 50 ("classroom50/result/v1"), from what its runner says in the environment.
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "grader/formats/formats.h"
#include "grader/formats/results.h"
#include "grader/result/time.h"

namespace grader::classroom50_format {
namespace {

// What Classroom 50's runner says of the submission.
std::string variable(const char* name, const char* otherwise = "") {
    const char* value = std::getenv(name);
    if (!value || !*value)
        value = std::getenv(otherwise);
    return value ? value : "";
}

// RFC 3339.
std::string now() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

nlohmann::json classroom50(const Result& whole) {
    using nlohmann::json;
    const Result result = for_students(whole);
    json tests = json::array();
    // The format wants whole numbers: each sum is rounded, and a test gets what it adds to the rounded sum.
    double earned = 0, worth = 0;
    int score = 0, most = 0;
    const auto add = [](double& exact, int& whole, double more) {
        const int before = std::exchange(whole, static_cast<int>(std::lround(exact += more)));
        return whole - before;
    };
    for (const auto& lab : result.labs) {
        const Worth each = worth_of(lab);
        for (const auto& item : lab.cases)
            tests.push_back({{"test-name", test_name(lab, item)},
                             {"passed", item.passed},
                             {"score", add(earned, score, item.earned * each.earned)},
                             {"max-score", add(worth, most, item.points * each.possible)}});
    }
    std::string type = variable("ASSIGNMENT_TYPE");
    // The time of the submission, not of the grading: grading again must not make it late.
    std::string when = variable("SUBMITTED_AT");
    if (when.empty())
        when = result.submitted ? text_of(*result.submitted) : now();
    return {{"schema", "classroom50/result/v1"},
            {"classroom", variable("CLASSROOM")},
            {"assignment", variable("ASSIGNMENT")},
            {"assignment_type", type.empty() ? "individual" : type},
            {"owner", variable("OWNER", "USERNAME")},
            {"submission", variable("SUBMISSION_TAG")},
            {"commit", variable("COMMIT_URL")},
            {"release", variable("RELEASE_URL")},
            {"review", variable("REVIEW_URL", "COMMIT_URL")},
            {"datetime", when},
            {"score", score},
            {"max-score", most},
            {"tests", tests}};
}

Written write(const Source& source) {
    return {lines(classroom50(source.results.front()))};
}

} // namespace

GRADE_FORMAT = {
    .name = "classroom50",
    .help = "Classroom 50's result.json",
    .of = Format::Of::each,
    .write = write,
    .extension = ".json",
};

} // namespace grader::classroom50_format
