// The report of a class as text, for a terminal or a mail.
#include <fmt/format.h>

#include "base/escape.h"
#include "grader/formats/formats.h"
#include "grader/formats/overview.h"
#include "grader/result/text.h"

namespace grader::class_format {
namespace {

std::string bars(const LabOverview& lab) {
    std::string text;
    size_t most = 1;
    for (const size_t count : lab.bars)
        most = std::max(most, count);
    for (size_t bar = 0; bar < lab.bars.size(); ++bar) {
        std::string line;
        for (size_t i = 0; i < (40 * lab.bars[bar] + most - 1) / most; ++i)
            line += "█";
        text += fmt::format("  {:>5} {}{}{}\n", bar_label(lab, bar), line, line.empty() ? "" : " ",
                            lab.bars[bar] ? std::to_string(lab.bars[bar]) : "");
    }
    return text;
}

std::string of_lab(const LabOverview& lab) {
    std::string text = fmt::format("\n{}: handed in by {}, not by {}. Points, of {}:\n", lab.lab, lab.handed_in,
                                   lab.missing, number(lab.possible));
    text += lab.handed_in ? bars(lab) : "";
    for (const auto& [todo, count] : lab.todos)
        text += fmt::format("  {}: an error there: {}; left as it was: {}\n", todo, count.findings, count.untouched);
    for (const auto& one : lab.results)
        text += fmt::format("  {} student{}: {}{}{}{}{}   (for example {})\n", one.students,
                            one.students == 1 ? "" : "s", one.outcome, one.todo.empty() ? "" : " at ", one.todo,
                            one.message.empty() ? "" : ": ", one.message, grader::text(one.example));
    return text;
}

std::string class_text(const Overview& view) {
    std::string text =
        fmt::format("{}: {} submission{}\n", view.course, view.submissions, view.submissions == 1 ? "" : "s");
    if (!view.talks.empty())
        text += "\nWhom to talk to:\n";
    for (const auto& talk : view.talks)
        text += fmt::format("  {}{}{}: {}\n", talk.submission, talk.name.empty() ? "" : ", ", talk.name,
                            fmt::join(talk.reasons, "; "));
    if (!view.obstacles.empty())
        text += "\nWhat students stumble over, and how many of them in which lab:\n";
    for (const auto& one : view.obstacles)
        text += fmt::format("  {:>4}  {:<34} {}\n", one.students, one.name, grader::text(one.labs));
    for (const auto& lab : view.labs)
        text += of_lab(lab);
    text += "\nProcessor time and memory (usage.csv):\n  " + view.accounting;
    return base::plain(text);
}

Written write(const Source& source) {
    return {class_text(overview(source.results, source.alike))};
}

} // namespace

GRADE_FORMAT = {
    .name = "class",
    .help = "the report of a class as text",
    .write = write,
    .report = "class",
    .extension = ".txt",
};

} // namespace grader::class_format
