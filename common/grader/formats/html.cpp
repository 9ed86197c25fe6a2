#include <algorithm>

#include <fmt/format.h>

#include "grader/formats/escape.h"
#include "grader/formats/formats.h"
#include "grader/formats/overview.h"
#include "grader/formats/page.h"
#include "grader/formats/results.h"

namespace grader::html_format {
namespace {

std::string cell(const json& lab) {
    const double score = lab.at("score"), out_of = lab.at("out_of");
    return fmt::format("<td class=\"n{}\">{}</td>",
                       score >= out_of ? " all"
                       : score <= 0    ? " none"
                                       : "",
                       number(score));
}

std::string table(const std::vector<json>& results) {
    const auto labs = labs_of(results);
    const bool named =
        std::any_of(results.begin(), results.end(), [](const auto& one) { return !names_of(one).empty(); });
    std::string text =
        fmt::format("<div class=\"wide\"><table><tr><th>submission</th>{}<th>score</th>", named ? "<th>name</th>" : "");
    for (const auto& lab : labs)
        text += fmt::format("<th title=\"{}\">{}</th>", markup(lab), markup(lab.substr(0, 2)));
    text += "</tr>\n";
    for (const auto& result : results) {
        const std::string id = markup(result.at("submission").get<std::string>());
        text += fmt::format("<tr><td><a href=\"#{0}\">{0}</a></td>{1}<td class=\"n\">{2} / {3}</td>", id,
                            named ? "<td>" + markup(names_of(result)) + "</td>" : "", number(result.at("score")),
                            number(result.at("possible")));
        for (const auto& name : labs) {
            const json* lab = result_of(result, name);
            text += lab ? cell(*lab) : "<td></td>";
        }
        text += "</tr>\n";
    }
    return text + "</table></div>\n";
}

std::string talks(const Overview& view) {
    if (view.talks.empty())
        return {};
    std::string text = "<h2>Who needs a talk</h2><div class=\"wide\"><table>\n";
    for (const auto& talk : view.talks) {
        const std::string id = markup(talk.submission);
        text += fmt::format("<tr><td><a href=\"#{0}\">{0}</a>{1}</td><td>{2}</td></tr>\n", id,
                            talk.name.empty() ? "" : ", " + markup(talk.name),
                            markup(fmt::format("{}", fmt::join(talk.reasons, "; "))));
    }
    return text + "</table></div>\n";
}

std::string obstacles(const Overview& view) {
    if (view.obstacles.empty())
        return {};
    std::string text = "<h2>What students stumble over</h2><div class=\"wide\"><table><tr><th>rule or verdict</th>"
                       "<th>students</th><th>of them in lab</th></tr>\n";
    for (const auto& one : view.obstacles)
        text += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n", markup(one.name), one.students,
                            markup(grader::text(one.labs)));
    return text + "</table></div>\n";
}

// One bar for each number of points, with the number of students above it.
std::string histogram(const LabOverview& lab) {
    constexpr size_t width = 26, height = 60, top = 14, bottom = 16;
    size_t most = 1;
    for (const size_t count : lab.bars)
        most = std::max(most, count);
    std::string bars;
    for (size_t i = 0; i < lab.bars.size(); ++i) {
        const size_t x = i * width, tall = (height * lab.bars[i] + most - 1) / most, y = top + height - tall;
        if (lab.bars[i])
            bars += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/><text x=\"{}\" y=\"{}\">{}</text>",
                                x + 2, y, width - 4, tall, x + width / 2, y - 3, lab.bars[i]);
        bars += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", x + width / 2, top + height + bottom - 3,
                            bar_label(lab, i));
    }
    const size_t wide = std::max<size_t>(1, lab.bars.size()) * width;
    return fmt::format("<svg role=\"img\" aria-label=\"how many have so many points\" width=\"{0}\" height=\"{1}\" "
                       "viewBox=\"0 0 {0} {1}\"><path d=\"M0 {2}.5H{0}\"/>{3}</svg>\n",
                       wide, top + height + bottom, top + height, bars);
}

std::string todos(const LabOverview& lab) {
    if (lab.todos.empty())
        return {};
    std::string text = "<table><tr><th>part of the skeleton</th><th>students with an error there</th>"
                       "<th>who left it as it was</th></tr>\n";
    for (const auto& [todo, count] : lab.todos)
        text += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n", markup(todo),
                            count.findings, count.untouched);
    return text + "</table>\n";
}

std::string common_results(const LabOverview& lab) {
    if (lab.results.empty())
        return {};
    std::string text = "<table><tr><th>most common wrong results</th><th>students</th><th>for example</th></tr>\n";
    for (const auto& one : lab.results)
        text += fmt::format("<tr><td>{}{}{}</td><td class=\"n\">{}</td><td><a href=\"#{}\">{}</a></td></tr>\n",
                            markup(one.outcome), one.todo.empty() ? "" : " at " + markup(one.todo),
                            one.message.empty() ? "" : ": " + markup(one.message), one.students,
                            markup(one.example.submission), markup(grader::text(one.example)));
    return text + "</table>\n";
}

std::string labs(const Overview& view) {
    std::string text = "<h2>Labs</h2>\n";
    for (const auto& lab : view.labs)
        text += fmt::format("<section><h3>{}</h3><p>handed in by {}, not by {}; students by points, of {}:</p>\n{}{}{}"
                            "</section>\n",
                            markup(lab.lab), lab.handed_in, lab.missing, number(lab.possible),
                            lab.handed_in ? histogram(lab) : "", todos(lab), common_results(lab));
    return text;
}

// Browsers open what is closed around the target of a link.
std::string student(const json& result) {
    const std::string id = markup(result.at("submission").get<std::string>()), name = markup(names_of(result));
    return fmt::format(
        "<details><summary>{0}{1} — {2} of {3}</summary><div class=\"found\" id=\"{0}\">\n{4}</div></details>\n", id,
        name.empty() ? "" : ", " + name, number(result.at("score")), number(result.at("possible")), findings(result));
}

std::string html(const std::vector<json>& results, const std::vector<Pair>& alike) {
    std::string text = page_head(results.empty() ? "asynclab" : results[0].value("course", "asynclab"));
    if (results.empty())
        return text + page_end;
    const json& isolation = results.front().at("isolation");
    text += fmt::format("<p>{} submissions; isolation: {}</p>\n", results.size(),
                        markup(isolation.at("level").get<std::string>()));
    if (const auto budget = results.front().find("budget"); budget != results.front().end())
        text += fmt::format("<p>All runs of one lab together may take {} s, and {} s of processor time; results/ says "
                            "what they took.</p>\n",
                            number(budget->at("seconds")), number(budget->at("processor_seconds")));
    const Overview view = overview(results, alike);
    text += "<p>Processor time and memory (usage.csv): " + markup(view.accounting) + "</p>\n";
    text += table(results) + talks(view) + obstacles(view) + labs(view);
    text += "<div class=\"submissions\"><h2>Submissions</h2>\n";
    for (const auto& result : results)
        text += student(result);
    return text + "</div>\n" + page_end;
}

Written write(const Source& source) {
    return {html(source.results, source.alike)};
}

} // namespace

GRADE_FORMAT = {
    .name = "html",
    .help = "the report of a class",
    .write = write,
    .report = "report",
    .extension = ".html",
};

} // namespace grader::html_format
