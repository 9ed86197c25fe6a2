// The summary of a GitHub workflow's step.
#include <fmt/format.h>

#include "grader/formats/escape.h"
#include "grader/formats/explain.h"
#include "grader/formats/formats.h"
#include "grader/formats/results.h"

namespace grader::summary_format {
namespace {

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
            if (passed || words == before || item.at("verdict") == "missing" || item.contains("person"))
                continue;
            before = words;
            // An HTML block that begins with <pre> ends with </pre> alone, and markup() lets nobody write that.
            details += fmt::format("<details><summary>{}, {}: {}</summary>\n\n<pre>{}</pre>\n\n</details>\n\n",
                                   markup(lab.at("lab").get<std::string>()), markup(item.at("name").get<std::string>()),
                                   markup(outcome_of(item)), markup(words));
        }
        if (const std::string person = lab.value("person", ""); !person.empty())
            marks = markdown(person);
        text += fmt::format("| {} | {} of {} | {} |\n", name, number(lab.at("score")), number(lab.at("out_of")), marks);
    }
    return text + "\n" + details;
}

Written write(const Source& source) {
    return {step_summary(source.results.front())};
}

} // namespace

GRADE_FORMAT = {
    .name = "summary",
    .help = "Markdown for $GITHUB_STEP_SUMMARY",
    .of = Format::Of::each,
    .write = write,
    .extension = ".md",
};

} // namespace grader::summary_format
