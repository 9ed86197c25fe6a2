#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "grader/formats/escape.h"
#include "grader/formats/explain.h"
#include "grader/formats/formats.h"
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

// Of a group, several.
std::string names(const json& result) {
    std::string text;
    for (const auto& student : result.value("students", json::array()))
        text += (text.empty() ? "" : ", ") + student.at("name").get<std::string>();
    return text;
}

std::string table(const std::vector<json>& results) {
    const auto labs = labs_of(results);
    const bool named = std::any_of(results.begin(), results.end(), [](const auto& one) { return !names(one).empty(); });
    std::string text =
        fmt::format("<div class=\"wide\"><table><tr><th>submission</th>{}<th>score</th>", named ? "<th>name</th>" : "");
    for (const auto& lab : labs)
        text += fmt::format("<th title=\"{}\">{}</th>", markup(lab), markup(lab.substr(0, 2)));
    text += "</tr>\n";
    for (const auto& result : results) {
        const std::string id = markup(result.at("submission").get<std::string>());
        text += fmt::format("<tr><td><a href=\"#{0}\">{0}</a></td>{1}<td class=\"n\">{2} / {3}</td>", id,
                            named ? "<td>" + markup(names(result)) + "</td>" : "", number(result.at("score")),
                            number(result.at("possible")));
        for (const auto& name : labs) {
            const json* lab = result_of(result, name);
            text += lab ? cell(*lab) : "<td></td>";
        }
        text += "</tr>\n";
    }
    return text + "</table></div>\n";
}

// How many submissions got no point, up to a quarter, …, all of them.
std::string distributions(const std::vector<json>& results) {
    std::string text =
        "<h2>Distribution</h2><div class=\"wide\"><table><tr><th>lab</th><th>0</th><th>up to ¼</th><th>up to ½</th>"
        "<th>up to ¾</th><th>less than all</th><th>all</th></tr>\n";
    for (const auto& name : labs_of(results)) {
        size_t counts[6] = {};
        for (const auto& result : results) {
            const json* lab = result_of(result, name);
            if (!lab)
                continue;
            const double out_of = lab->at("out_of"), share = out_of > 0 ? lab->at("score").get<double>() / out_of : 0;
            ++counts[share <= 0 ? 0 : share <= .25 ? 1 : share <= .5 ? 2 : share <= .75 ? 3 : share < 1 ? 4 : 5];
        }
        text += "<tr><td>" + markup(name) + "</td>";
        for (const size_t count : counts)
            text += fmt::format("<td><span class=\"bar\" style=\"width: {:.1f}rem\"></span> {}</td>",
                                6.0 * static_cast<double>(count) / static_cast<double>(results.size()), count);
        text += "</tr>\n";
    }
    return text + "</table></div>\n";
}

std::string rules(const std::vector<json>& results) {
    std::map<std::string, size_t> counts; // in how many labs of all submissions
    for (const auto& result : results)
        for (const auto& lab : result.at("labs")) {
            std::map<std::string, bool> here;
            for (const auto& item : lab.at("cases"))
                if (!item.at("passed").get<bool>() && item.at("verdict") != "missing" && !item.contains("person"))
                    here[outcome_of(item)] = true;
            for (const auto& [rule, seen] : here)
                ++counts[rule];
        }
    std::vector<std::pair<std::string, size_t>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string text = "<h2>Most frequent findings</h2><table>\n";
    for (size_t i = 0; i < std::min<size_t>(sorted.size(), 15); ++i)
        text += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td></tr>\n", markup(sorted[i].first), sorted[i].second);
    return text + "</table>\n";
}

// Browsers open what is closed around the target of a link.
std::string student(const json& result) {
    const std::string id = markup(result.at("submission").get<std::string>()), name = markup(names(result));
    return fmt::format(
        "<details><summary>{0}{1} — {2} of {3}</summary><div class=\"found\" id=\"{0}\">\n{4}</div></details>\n", id,
        name.empty() ? "" : ", " + name, number(result.at("score")), number(result.at("possible")), findings(result));
}

std::string html(const std::vector<json>& results) {
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
    text += table(results) + distributions(results) + rules(results) + "<h2>Submissions</h2>\n";
    for (const auto& result : results)
        text += student(result);
    return text + page_end;
}

Written write(const Source& source) {
    return {html(source.results)};
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
