#include <algorithm>

#include <fmt/format.h>

#include "grader/formats/formats.h"
#include "grader/formats/overview.h"
#include "grader/formats/page.h"
#include "grader/formats/results.h"
#include "grader/result/text.h"

namespace grader::html_format {
namespace {

using base::element, base::empty_element, base::Markup;

Markup link(const std::string& submission, const std::string& text) {
    return element("a", {{"href", "#" + submission}}, text);
}

Markup number_cell(const std::string& text) {
    return element("td", {{"class", "n"}}, text);
}

constexpr const char* no_score = "–";

Markup cell(const Result& result, const LabResult& lab) {
    if (result.undecided(lab))
        return number_cell(no_score);
    return element("td",
                   {{"class", lab.score >= lab.out_of ? "n all"
                              : lab.score <= 0        ? "n none"
                                                      : "n"}},
                   number(lab.score));
}

std::string score_of(const Result& result) {
    return result.undecided() ? no_score : number(result.score);
}

Markup in_wide(const Markup& table) {
    return element("div", {{"class", "wide"}}, element("table", table)) + "\n";
}

Markup table(const std::vector<Result>& results) {
    const auto labs = labs_of(results);
    const bool named = std::ranges::any_of(results, [](const auto& one) { return !names_of(one).empty(); });
    Markup header = element("th", "submission") + (named ? element("th", "name") : "") + element("th", "score");
    for (const auto& lab : labs)
        header += element("th", {{"title", lab}}, lab.substr(0, 2));
    Markup rows = element("tr", header) + "\n";
    for (const auto& result : results) {
        Markup row = element("td", link(result.submission, result.submission)) +
                     (named ? element("td", names_of(result)) : "") +
                     number_cell(fmt::format("{} / {}", score_of(result), number(result.possible)));
        for (const auto& name : labs) {
            const LabResult* lab = result.of(name);
            row += lab ? cell(result, *lab) : element("td", "");
        }
        rows += element("tr", row) + "\n";
    }
    return in_wide(rows);
}

Markup talks(const Overview& view) {
    if (view.talks.empty())
        return {};
    Markup rows = "\n";
    for (const auto& talk : view.talks)
        rows += element("tr", element("td", link(talk.submission, talk.submission) +
                                                (talk.name.empty() ? "" : ", " + talk.name)) +
                                  element("td", fmt::format("{}", fmt::join(talk.reasons, "; ")))) +
                "\n";
    return element("h2", "Whom to talk to") + in_wide(rows);
}

Markup obstacles(const Overview& view) {
    if (view.obstacles.empty())
        return {};
    Markup rows =
        element("tr", element("th", "rule or verdict") + element("th", "students") + element("th", "of them in lab")) +
        "\n";
    for (const auto& one : view.obstacles)
        rows += element("tr", element("td", one.name) + number_cell(std::to_string(one.students)) +
                                  element("td", grader::text(one.labs))) +
                "\n";
    return element("h2", "What students stumble over") + in_wide(rows);
}

// One bar for each number of points, with the number of students above it.
Markup histogram(const LabOverview& lab) {
    constexpr size_t width = 26, height = 60, top = 14, bottom = 16;
    const auto words = [](size_t x, size_t y, const std::string& text) {
        return element("text", {{"x", x}, {"y", y}}, text);
    };
    size_t most = 1;
    for (const size_t count : lab.bars)
        most = std::max(most, count);
    Markup bars;
    for (size_t i = 0; i < lab.bars.size(); ++i) {
        const size_t x = i * width, tall = (height * lab.bars[i] + most - 1) / most, y = top + height - tall;
        if (lab.bars[i])
            bars += empty_element("rect", {{"x", x + 2}, {"y", y}, {"width", width - 4}, {"height", tall}}) +
                    words(x + width / 2, y - 3, std::to_string(lab.bars[i]));
        bars += words(x + width / 2, top + height + bottom - 3, bar_label(lab, i));
    }
    const size_t wide = std::max<size_t>(1, lab.bars.size()) * width, tall = top + height + bottom;
    return element("svg",
                   {{"role", "img"},
                    {"aria-label", "how many have so many points"},
                    {"width", wide},
                    {"height", tall},
                    {"viewBox", fmt::format("0 0 {} {}", wide, tall)}},
                   empty_element("path", {{"d", fmt::format("M0 {}.5H{}", top + height, wide)}}) + bars) +
           "\n";
}

Markup todos(const LabOverview& lab) {
    if (lab.todos.empty())
        return {};
    Markup rows = element("tr", element("th", "part of the skeleton") + element("th", "students with an error there") +
                                    element("th", "who left it as it was")) +
                  "\n";
    for (const auto& [todo, count] : lab.todos)
        rows += element("tr", element("td", todo) + number_cell(std::to_string(count.findings)) +
                                  number_cell(std::to_string(count.untouched))) +
                "\n";
    return element("table", rows) + "\n";
}

Markup common_results(const LabOverview& lab) {
    if (lab.results.empty())
        return {};
    Markup rows = element("tr", element("th", "most common wrong results") + element("th", "students") +
                                    element("th", "for example")) +
                  "\n";
    for (const auto& one : lab.results)
        rows += element("tr", element("td", one.outcome + (one.todo.empty() ? "" : " at " + one.todo) +
                                                (one.message.empty() ? "" : ": " + one.message)) +
                                  number_cell(std::to_string(one.students)) +
                                  element("td", link(one.example.submission, grader::text(one.example)))) +
                "\n";
    return element("table", rows) + "\n";
}

Markup labs(const Overview& view) {
    Markup text = element("h2", "Labs") + "\n";
    for (const auto& lab : view.labs)
        text +=
            element("section", element("h3", lab.lab) +
                                   element("p", fmt::format("handed in by {}, not by {}; students by points, of {}:",
                                                            lab.handed_in, lab.missing, number(lab.possible))) +
                                   "\n" + (lab.handed_in ? histogram(lab) : "") + todos(lab) + common_results(lab)) +
            "\n";
    return text;
}

// Browsers open closed sections around the target of a link.
Markup student(const Result& result) {
    const std::string name = names_of(result);
    return element("details",
                   element("summary", fmt::format("{}{} — {} of {}", result.submission, name.empty() ? "" : ", " + name,
                                                  score_of(result), number(result.possible))) +
                       element("div", {{"class", "found"}, {"id", result.submission}}, "\n" + findings(result))) +
           "\n";
}

std::string html(const std::vector<Result>& results, const std::vector<Pair>& alike) {
    if (results.empty())
        return page("asynclab", {});
    const Result& first = results.front();
    const Overview view = overview(results, alike);
    Markup body =
        element("p", fmt::format("{} submissions; isolation: {}", results.size(), first.isolation.level)) + "\n" +
        element("p",
                fmt::format("All runs of one lab together may take {} s, and {} s of processor time; results/ says "
                            "what they took.",
                            number(first.budget.wall), number(first.budget.processor))) +
        "\n" + element("p", "Processor time and memory (usage.csv): " + view.accounting) + "\n";
    body += table(results) + talks(view) + obstacles(view) + labs(view);
    Markup students = element("h2", "Submissions") + "\n";
    for (const auto& result : results)
        students += student(result);
    return page(first.course, body + element("div", {{"class", "submissions"}}, students) + "\n");
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
