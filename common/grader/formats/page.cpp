#include "grader/formats/page.h"

#include <fmt/format.h>

#include "check/constant.h"
#include "grader/formats/escape.h"
#include "grader/formats/explain.h"
#include "grader/formats/rubric_rows.h"

namespace grader {

namespace {

constexpr const char* head = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{0}</title><style>
:root {{ color-scheme: light dark; --text: #222; --page: #fff; --line: #ddd; --code: #f6f6f6; --bar: #4a7ebb; --good: #06701d; --bad: #a11; --mark: #fffbe6 }}
@media (prefers-color-scheme: dark) {{ :root {{ --text: #ddd; --page: #17191b; --line: #444; --code: #24272a; --bar: #6f9fd8; --good: #6fcf87; --bad: #ff8a80; --mark: #3a3415 }} }}
body {{ font: 15px/1.45 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; color: var(--text); background: var(--page) }}
a {{ color: inherit }} h2 {{ margin-top: 2rem }} section {{ margin-bottom: 1.5rem }} section p {{ margin: .3rem 0 }}
.wide {{ overflow-x: auto }} .found {{ scroll-margin-top: 3rem }} :target {{ background: var(--mark) }}
table {{ border-collapse: collapse; margin: .4rem 0 }} th, td {{ padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }}
td.n {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }} tr.group th {{ padding-top: .6rem; font-weight: normal; font-style: italic }}
.wide td:first-child {{ position: sticky; left: 0; background: var(--page); overflow-wrap: anywhere; max-width: 40vw }} .all {{ color: var(--good) }} .none {{ color: var(--bad) }}
pre {{ background: var(--code); padding: .6rem; overflow-x: auto; margin: .2rem 0 }} summary {{ cursor: pointer; padding: .2rem 0 }}
svg {{ max-width: 100%; height: auto }} svg rect {{ fill: var(--bar) }} svg path {{ stroke: var(--line) }} svg text {{ fill: var(--text); font-size: 11px; text-anchor: middle }}
@media print {{ :root {{ color-scheme: light; --text: #000; --page: #fff; --line: #bbb; --code: #f6f6f6; --bar: #777; --good: #000; --bad: #000 }}
body {{ margin: 0; font-size: 10pt }} section, tr {{ break-inside: avoid }} .submissions {{ display: none }} pre {{ white-space: pre-wrap }} a {{ text-decoration: none }} }}
</style></head><body><h1>{0}</h1>
)";

// The lab's cases by what they test. What is said in full stands below the case, once if several have it in common.
std::string rubric(const json& lab) {
    std::string text = "<table><tr><th>what is shown</th><th>points</th><th>got</th><th>why not</th></tr>\n", group,
                before;
    for (const auto& row : rubric_of(lab)) {
        if (row.group != group)
            text += fmt::format("<tr class=\"group\"><th colspan=\"4\">{}</th></tr>\n", markup(row.group));
        group = row.group;
        text += fmt::format("<tr><td>{} {}</td><td class=\"n\">{}</td><td class=\"n {}\">{}</td><td>{}</td></tr>\n",
                            row.passed ? "✓" : "✗", markup(row.name), number(row.points), row.passed ? "all" : "none",
                            number(row.got), markup(row.why));
        const std::string words = row.passed || !row.item ? "" : explanation(lab, *row.item);
        if (!words.empty() && words != before)
            text += "<tr><td colspan=\"4\"><pre>" + markup(words) + "</pre></td></tr>\n";
        before = words;
    }
    return text + "</table>\n";
}

} // namespace

std::string page_head(const std::string& title) {
    return fmt::format(head, markup(title));
}

std::string findings(const json& result) {
    std::string text;
    for (const auto& problem : result.at("problems"))
        text += "<p>" + markup(problem.get<std::string>()) + "</p>\n";
    for (const auto& lab : result.at("labs")) {
        if (!lab.contains("source") && !lab.contains("person"))
            continue;
        text += fmt::format("<h3>{} — {} of {}</h3>\n", markup(lab.at("lab").get<std::string>()),
                            number(lab.at("score")), number(lab.at("out_of"))) +
                rubric(lab);
        if (lab.contains("constants"))
            text += "<p>Checked with " + markup(check::text(lab.at("constants").get<check::Constants>())) + ".</p>\n";
        if (const int hidden = lab.value("hidden_cases", 0))
            text += fmt::format("<p>and {} that {} not shown</p>\n", hidden, hidden == 1 ? "is" : "are");
        if (lab.contains("source"))
            text += "<details><summary>" + markup(lab.value("path", "source")) + "</summary><pre>" +
                    markup(lab.at("source").get<std::string>()) + "</pre></details>";
        text += "\n";
    }
    return text;
}

} // namespace grader
