// For GitHub: Classroom 50, GitHub Classroom's reporter, and the summary of a workflow's step.
#include <fmt/format.h>

#include "grader/formats/escape.h"
#include "grader/formats/explain.h"
#include "grader/formats/formats.h"

namespace grader {
namespace {

std::string test_name(const json& lab, const json& item) {
    return plain(lab.at("lab").get<std::string>() + ": " + item.at("name").get<std::string>());
}

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

} // namespace

json classroom50(const json& whole, const std::map<std::string, std::string>& environment, std::string_view now) {
    const json result = for_students(whole);
    const auto told = [&](const char* name, const char* otherwise = "") {
        const auto found = environment.find(name);
        if (found != environment.end() && !found->second.empty())
            return found->second;
        const auto second = environment.find(otherwise);
        return second == environment.end() ? std::string() : second->second;
    };
    json tests = json::array();
    int score = 0, most = 0; // whole numbers are asked for: points as they are, without weights and lateness
    for (const auto& lab : result.at("labs"))
        for (const auto& item : lab.at("cases")) {
            const bool passed = item.at("passed");
            const int points = item.at("points");
            tests.push_back({{"test-name", test_name(lab, item)},
                             {"passed", passed},
                             {"score", passed ? points : 0},
                             {"max-score", points}});
            score += passed ? points : 0;
            most += points;
        }
    std::string type = told("ASSIGNMENT_TYPE");
    return {{"schema", "classroom50/result/v1"},
            {"classroom", told("CLASSROOM")},
            {"assignment", told("ASSIGNMENT")},
            {"assignment_type", type.empty() ? "individual" : type},
            {"owner", told("OWNER", "USERNAME")},
            {"submission", told("SUBMISSION_TAG")},
            {"commit", told("COMMIT_URL")},
            {"release", told("RELEASE_URL")},
            {"review", told("REVIEW_URL", "COMMIT_URL")},
            {"datetime", now},
            {"score", score},
            {"max-score", most},
            {"tests", tests}};
}

std::string classroom_reporter(const json& whole) {
    const json result = for_students(whole);
    json tests = json::array();
    bool all = true, compiled = true;
    for (const auto& lab : result.at("labs"))
        for (const auto& item : lab.at("cases")) {
            const bool passed = item.at("passed"), error = item.at("verdict") == "compile-error";
            all &= passed;
            compiled &= !error;
            tests.push_back({{"name", test_name(lab, item)},
                             {"status", passed  ? "pass"
                                        : error ? "error"
                                                : "fail"},
                             {"score", passed ? item.at("points").get<double>() : 0.0},
                             {"message", passed ? json() : json(explanation(lab, item))},
                             {"test_code", ""},
                             {"filename", ""},
                             {"line_no", 0},
                             {"execution_time", "0s"}});
        }
    double most = 0;
    for (const auto& lab : result.at("labs"))
        most += lab.at("possible").get<double>();
    const json report{{"version", 1},
                      {"status", all        ? "pass"
                                 : compiled ? "fail"
                                            : "error"},
                      {"max_score", most},
                      {"tests", tests}};
    return "result=" + base64(report.dump(-1, ' ', true, json::error_handler_t::replace)) + "\n";
}

std::string step_summary(const json& whole) {
    const json result = for_students(whole);
    std::string text = fmt::format("### {}: {} of {} points\n\n| lab | points | |\n|---|---|---|\n",
                                   markdown(result.at("submission").get<std::string>()), number(result.at("score")),
                                   number(result.at("possible")));
    std::string details;
    for (const auto& lab : result.at("labs")) {
        std::string marks;
        std::string before;
        const std::string name = markdown(lab.at("lab").get<std::string>());
        for (const auto& item : lab.at("cases")) {
            const bool passed = item.at("passed");
            marks += passed ? "✓" : "✗";
            const std::string words = passed ? "" : explanation(lab, item);
            if (passed || words == before || item.at("verdict") == "missing")
                continue;
            before = words;
            // An HTML block that begins with <pre> ends with </pre> alone, and markup() lets nobody write that.
            details += fmt::format("<details><summary>{}, {}: {}</summary>\n\n<pre>{}</pre>\n\n</details>\n\n",
                                   markup(lab.at("lab").get<std::string>()), markup(item.at("name").get<std::string>()),
                                   markup(outcome_of(item)), markup(words));
        }
        text += fmt::format("| {} | {} of {} | {} |\n", name, number(lab.at("score")), number(lab.at("out_of")), marks);
    }
    return text + "\n" + details;
}

} // namespace grader
