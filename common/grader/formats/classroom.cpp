// What GitHub Classroom's autograding-grading-reporter reads from an environment variable NAME_RESULTS, as the line
// "result=…" for $GITHUB_OUTPUT.
#include <nlohmann/json.hpp>

#include "grader/formats/explain.h"
#include "grader/formats/formats.h"
#include "grader/formats/results.h"

namespace grader::classroom_format {
namespace {

std::string base64(std::string_view text) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (size_t i = 0; i < text.size(); i += 3) {
        uint32_t bits = 0;
        for (size_t j = 0; j < 3; ++j)
            bits = bits << 8 | (i + j < text.size() ? static_cast<unsigned char>(text[i + j]) : 0);
        for (size_t j = 0; j < 4; ++j)
            out += i + j > text.size() ? '=' : digits[bits >> (18 - 6 * j) & 63];
    }
    return out;
}

std::string classroom_reporter(const Result& whole) {
    using nlohmann::json;
    const Result result = for_students(whole);
    json tests = json::array();
    bool all = true, compiled = true;
    double most = 0;
    for (const auto& lab : result.labs) {
        most += lab.possible;
        for (const auto& item : lab.cases) {
            const bool passed = item.passed, error = item.verdict == check::Verdict::compile_error;
            all &= passed;
            compiled &= !error;
            tests.push_back({{"name", test_name(lab, item)},
                             {"status", passed  ? "pass"
                                        : error ? "error"
                                                : "fail"},
                             {"score", item.earned},
                             {"message", passed ? json() : json(explanation(lab, item))},
                             {"test_code", ""},
                             {"filename", ""},
                             {"line_no", 0},
                             {"execution_time", "0s"}});
        }
    }
    const json report{{"version", 1},
                      {"status", all        ? "pass"
                                 : compiled ? "fail"
                                            : "error"},
                      {"max_score", most},
                      {"tests", tests}};
    return "result=" + base64(report.dump(-1, ' ', true, json::error_handler_t::replace)) + "\n";
}

Written write(const Source& source) {
    return {classroom_reporter(source.results.front())};
}

} // namespace

GRADE_FORMAT = {
    .name = "classroom",
    .help = "GitHub Classroom: a line for $GITHUB_OUTPUT",
    .of = Format::Of::each,
    .write = write,
    .extension = ".txt",
};

} // namespace grader::classroom_format
