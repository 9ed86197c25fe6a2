#include "grader/formats/page.h"

#include <fmt/format.h>

#include "check/constant.h"
#include "grader/formats/explain.h"
#include "grader/formats/rubric_rows.h"
#include "grader/result/text.h"

namespace grader {

using base::element, base::Markup;

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

// The lab's cases by what they test. A full explanation stands below its case, once if several cases share it.
Markup rubric(const LabResult& lab) {
    Markup text = element("tr", element("th", "what is shown") + element("th", "points") + element("th", "got") +
                                    element("th", "why not")) +
                  "\n";
    std::string group, before;
    for (const auto& row : rubric_of(lab)) {
        if (row.group != group)
            text += element("tr", {{"class", "group"}}, element("th", {{"colspan", 4}}, row.group)) + "\n";
        group = row.group;
        text += element("tr", element("td", fmt::format("{} {}", row.passed ? "✓" : "✗", row.name)) +
                                  element("td", {{"class", "n"}}, number(row.points)) +
                                  element("td", {{"class", row.passed ? "n all" : "n none"}}, number(row.got)) +
                                  element("td", row.why)) +
                "\n";
        const std::string words = row.passed || !row.item ? "" : explanation(lab, *row.item);
        if (!words.empty() && words != before)
            text += element("tr", element("td", {{"colspan", 4}}, element("pre", words))) + "\n";
        before = words;
    }
    return element("table", text) + "\n";
}

} // namespace

std::string page(const std::string& title, const Markup& body) {
    return fmt::format(head, base::markup(title)) + body.text() + "</body></html>\n";
}

Markup findings(const Result& result) {
    Markup text;
    for (const auto& problem : result.problems)
        text += element("p", problem) + "\n";
    for (const auto& lab : result.labs) {
        const auto& handed_in = lab.handed_in;
        if (!handed_in && lab.person.empty())
            continue;
        text += element("h3", fmt::format("{} — {} of {}", lab.lab, number(lab.score), number(lab.out_of))) + "\n" +
                rubric(lab);
        if (handed_in && !handed_in->constants.empty())
            text += element("p", "Checked with " + check::text(handed_in->constants) + ".") + "\n";
        if (lab.hidden_cases)
            text += element("p", fmt::format("and {} that {} not shown", lab.hidden_cases,
                                             lab.hidden_cases == 1 ? "is" : "are")) +
                    "\n";
        if (handed_in)
            text += element("details", element("summary", handed_in->path) + element("pre", handed_in->source));
        text += "\n";
    }
    return text;
}

} // namespace grader
