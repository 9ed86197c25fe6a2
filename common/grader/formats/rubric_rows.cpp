#include "grader/formats/rubric_rows.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "check/lab.h"
#include "grader/formats/escape.h"
#include "grader/formats/explain.h"

namespace grader {
namespace {

constexpr const char* by_person = "given by a person";

// Labs say themselves which case shows their mechanism; in lab 02, there is one for each of its two variants.
std::string group_of(const std::string& lab, const json& item) {
    if (item.contains("person"))
        return by_person;
    const std::string name = item.at("name");
    const auto& all = check::labs();
    const auto listed = std::ranges::find(all, lab, &check::ListedLab::name);
    if (listed != all.end())
        for (const auto& need : listed->lab->needs)
            if (name.starts_with(need.cases)) {
                const std::string_view variant = need.cases.substr(0, need.cases.find(": "));
                return fmt::format("{}{}{}", variant, variant.empty() ? "" : ": ",
                                   name == need.point ? "the mechanism" : "results");
            }
    return "results";
}

const json* blamed(const json& item) {
    if (const auto findings = item.find("findings"); findings != item.end())
        for (const auto& finding : *findings)
            if (finding.at("severity") == "error")
                return &finding;
    return nullptr;
}

std::string first_line(const std::string& text) {
    return base::shortened(std::string_view(text).substr(0, text.find('\n')), 200);
}

void explain(RubricRow& row, const json& lab) {
    const std::string verdict = row.item->at("verdict");
    const std::string message = first_line(row.item->value("message", ""));
    if (verdict == "missing") {
        row.why = "nothing was handed in for this lab";
    } else if (verdict == "compile-error") {
        row.why = "it does not compile";
    } else if (verdict == "not-given") {
        row.why.clear();
    } else if (const json* finding = blamed(*row.item); finding && verdict == "hazard") {
        if (finding->at("first").at("file") == "kernel.cu")
            row.line = finding->at("first").at("line");
        const std::string todo = finding->value("todo", "");
        row.why = fmt::format("{}{}{}", outcome_of(*row.item), row.line ? fmt::format(" at line {}", row.line) : "",
                              todo.empty() ? "" : ", " + todo);
    } else {
        row.why = outcome_of(*row.item) + (message.empty() ? "" : ": " + message);
    }
    if (row.why.empty() && lab.contains("person") && !row.item->contains("person"))
        row.why = lab.at("person");
}

} // namespace

std::vector<RubricRow> rubric_of(const json& lab) {
    std::vector<RubricRow> rows;
    std::vector<std::string> groups;
    for (const auto& item : lab.at("cases")) {
        RubricRow row;
        row.group = group_of(lab.at("lab"), item);
        row.name = item.at("name");
        row.points = item.at("points");
        row.passed = item.at("passed");
        row.hidden = item.value("hidden", false);
        row.got = row.passed ? row.points : 0;
        row.item = &item;
        if (!row.passed)
            explain(row, lab);
        if (std::ranges::find(groups, row.group) == groups.end())
            groups.push_back(row.group);
        rows.push_back(std::move(row));
    }
    if (const double late = lab.value("late_percent", 0.0); late > 0)
        rows.push_back({.group = groups.emplace_back("late policy"),
                        .name = fmt::format("handed in late: {} % off", number(late)),
                        .got = -lab.at("points").get<double>() * late / 100,
                        .why = "handed in after the due date"});
    std::ranges::stable_sort(rows, {}, [&](const RubricRow& row) { return std::ranges::find(groups, row.group); });
    return rows;
}

} // namespace grader
