#include "grader/formats/rubric_rows.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "check/lab.h"
#include "grader/formats/explain.h"
#include "grader/result/text.h"

namespace grader {
namespace {

constexpr const char* by_person = "given by a person";

// Labs say themselves which case shows their mechanism; in lab 02, there is one for each of its two variants.
std::string group_of(const std::string& lab, const CaseResult& item) {
    if (item.by_person)
        return by_person;
    const auto& all = check::labs();
    const auto listed = std::ranges::find(all, lab, &check::ListedLab::name);
    if (listed != all.end())
        for (const auto& need : listed->lab->needs)
            if (item.name.starts_with(need.cases)) {
                const std::string_view variant = need.cases.substr(0, need.cases.find(": "));
                return fmt::format("{}{}{}", variant, variant.empty() ? "" : ": ",
                                   item.name == need.point ? "the mechanism" : "results");
            }
    return "results";
}

std::string first_line(const std::string& text) {
    return base::shortened(std::string_view(text).substr(0, text.find('\n')), 200);
}

void explain(RubricRow& row, const LabResult& lab) {
    using check::Verdict;
    const CaseResult& item = *row.item;
    const std::string message = first_line(item.message());
    if (item.verdict == Verdict::missing) {
        row.why = "nothing was handed in for this lab";
    } else if (item.verdict == Verdict::compile_error) {
        row.why = "it does not compile";
    } else if (item.verdict == Verdict::not_given) {
        row.why.clear();
    } else if (const Finding* finding = item.error(); finding && item.verdict == Verdict::hazard) {
        if (finding->first.file == "kernel.cu")
            row.line = finding->first.line;
        row.why = fmt::format("{}{}{}", outcome_of(item), row.line ? fmt::format(" at line {}", row.line) : "",
                              finding->todo.empty() ? "" : ", " + finding->todo);
    } else {
        row.why = outcome_of(item) + (message.empty() ? "" : ": " + message);
    }
    if (row.why.empty() && !item.by_person)
        row.why = lab.person;
}

} // namespace

std::vector<RubricRow> rubric_of(const LabResult& lab) {
    std::vector<RubricRow> rows;
    std::vector<std::string> groups;
    for (const auto& item : lab.cases) {
        RubricRow row{.group = group_of(lab.lab, item),
                      .name = item.name,
                      .points = item.points,
                      .got = item.earned,
                      .passed = item.passed,
                      .hidden = item.hidden,
                      .item = &item};
        if (!row.passed)
            explain(row, lab);
        if (std::ranges::find(groups, row.group) == groups.end())
            groups.push_back(row.group);
        rows.push_back(std::move(row));
    }
    if (lab.late_percent > 0)
        rows.push_back({.group = groups.emplace_back("late policy"),
                        .name = fmt::format("handed in late: {} % off", number(lab.late_percent)),
                        .got = -lab.points * lab.late_percent / 100,
                        .why = "handed in after the due date"});
    std::ranges::stable_sort(rows, {}, [&](const RubricRow& row) { return std::ranges::find(groups, row.group); });
    return rows;
}

} // namespace grader
