// The summary of a GitHub workflow's step.
#include <fmt/format.h>

#include "base/escape.h"
#include "base/markup.h"
#include "grader/formats/explain.h"
#include "grader/formats/formats.h"
#include "grader/formats/results.h"
#include "grader/result/text.h"

namespace grader::summary_format {
namespace {

using base::element, base::Markup;

std::string step_summary(const Result& whole) {
    const Result result = for_students(whole);
    std::string text = fmt::format("### {}: {} of {} points\n\n| lab | points | |\n|---|---|---|\n",
                                   base::markdown(result.submission), number(result.score), number(result.possible));
    Markup details;
    for (const auto& lab : result.labs) {
        std::string marks;
        std::string before;
        for (const auto& item : lab.cases) {
            marks += item.passed ? "✓" : "✗";
            const std::string words = item.passed ? "" : explanation(lab, item);
            if (item.passed || words == before || item.verdict == check::Verdict::missing || item.by_person)
                continue;
            before = words;
            // An HTML block that begins with <pre> ends only at </pre>, and escaped text cannot contain that.
            details +=
                element("details", element("summary", fmt::format("{}, {}: {}", lab.lab, item.name, outcome_of(item))) +
                                       "\n\n" + element("pre", words) + "\n\n") +
                "\n\n";
        }
        if (!lab.person.empty())
            marks = base::markdown(lab.person);
        text += fmt::format("| {} | {} of {} | {} |\n", base::markdown(lab.lab), number(lab.score), number(lab.out_of),
                            marks);
    }
    return text + "\n" + details.text();
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
