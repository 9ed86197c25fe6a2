#include "grader/formats/page.h"

#include <fmt/format.h>

#include "grader/formats/escape.h"
#include "grader/formats/explain.h"

namespace grader {

using nlohmann::json;

namespace {

constexpr const char* head = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{0}</title><style>
body {{ font: 15px/1.45 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; color: #222 }}
.wide {{ overflow-x: auto }} h2 {{ margin-top: 2rem }} .found {{ scroll-margin-top: 3rem }} :target {{ background: #fffbe6 }}
table {{ border-collapse: collapse }} th, td {{ padding: .2rem .6rem; border-bottom: 1px solid #ddd; text-align: left }}
td.n {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }}
.wide td:first-child {{ position: sticky; left: 0; background: #fff; overflow-wrap: anywhere; max-width: 40vw }} .all {{ color: #06701d }} .none {{ color: #a11 }}
pre {{ background: #f6f6f6; padding: .6rem; overflow-x: auto }} .bar {{ background: #4a7ebb; display: inline-block; height: .8rem }}
summary {{ cursor: pointer; padding: .2rem 0 }}
</style></head><body><h1>{0}</h1>
)";

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
        text += fmt::format("<h3>{} — {} of {}</h3><ul>\n", markup(lab.at("lab").get<std::string>()),
                            number(lab.at("score")), number(lab.at("out_of")));
        std::string before;
        for (const auto& item : lab.at("cases")) {
            const bool passed = item.at("passed");
            text += fmt::format("<li>{} {}{}", passed ? "✓" : "✗", markup(item.at("name").get<std::string>()),
                                passed ? "" : ": " + markup(outcome_of(item)));
            std::string words = passed ? "" : explanation(lab, item);
            if (!words.empty() && words != before)
                text += "<pre>" + markup(words) + "</pre>";
            before = words;
            text += "</li>\n";
        }
        if (const int hidden = lab.value("hidden_cases", 0))
            text += fmt::format("<li>and {} that {} not shown</li>\n", hidden, hidden == 1 ? "is" : "are");
        text += "</ul>";
        if (lab.contains("source"))
            text += "<details><summary>" + markup(lab.value("path", "source")) + "</summary><pre>" +
                    markup(lab.at("source").get<std::string>()) + "</pre></details>";
        text += "\n";
    }
    return text;
}

} // namespace grader
