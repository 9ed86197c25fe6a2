#include "judge/points.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "base/problem.h"
#include "sim/report/causes.h"

namespace judge {

using base::Problem;
using check::Verdict;

namespace {

size_t gate_of(const LabReport& report, const check::Lab::Need& need) {
    const auto gate = std::ranges::find(report.cases, need.point, [](const auto& item) { return item.info.name; });
    if (gate == report.cases.end())
        throw Problem{
            fmt::format("the record of lab {} needs a case \"{}\", which there is not", report.lab, need.point),
            "correct its check.cpp"};
    return static_cast<size_t>(gate - report.cases.begin());
}

std::string why_unearned(const LabReport& report, size_t index, bool strict, const Looks& looks) {
    const CaseReport& gate = report.cases[index];
    if (gate.passed() || !gate.runs)
        return "";
    if (gate.cut_short)
        return "was not run to its end";
    return strict ? "does not pass" : check::why_unearned(gate.result, looks.at_gate(index));
}

// A file that gets one thing wrong is worth a part; one in which the synchronisation is still to be written is not.
// One missing fence may publish two barriers that are made in neighbouring lines, and a line of a template is reported
// for each of its kernels.
bool is_one_mistake(const check::RunResult& result) {
    using sim::hazards::Finding, sim::hazards::Place;
    const auto are_neighbours = [](const Finding& a, const Finding& b) {
        const auto near = [](const Place& x, const Place& y) {
            return x.line && y.line && x.file == y.file && x.line + 1 >= y.line && y.line + 1 >= x.line;
        };
        const auto is_near = [&](const Place& place) {
            return near(place, a.first) ||
                   std::ranges::any_of(a.others, [&](const Place& x) { return near(place, x); });
        };
        return a.rule == b.rule && (is_near(b.first) || std::ranges::any_of(b.others, is_near));
    };
    std::vector<const Finding*> mistakes;
    for (const auto& [cause, _] : sim::hazards::grouped_by_cause(result.findings))
        if (cause->severity == sim::hazards::Severity::error &&
            std::ranges::none_of(mistakes, [&](const Finding* one) { return are_neighbours(*one, *cause); }))
            mistakes.push_back(cause);
    return mistakes.size() == 1;
}

// What hazards leave of the points of these cases.
void give_part(std::span<CaseReport* const> items, int percent, const Looks& looks) {
    if (percent <= 0)
        return;
    std::vector<CaseReport*> hazardous;
    std::ranges::copy_if(items, std::back_inserter(hazardous), [](const CaseReport* item) {
        return item->result.verdict == Verdict::hazard && is_one_mistake(item->result);
    });
    const auto seen = looks.briefly(hazardous);
    for (size_t i = 0; i < seen.size(); ++i)
        if (const check::SecondLook look{0, seen[i]}; check::why_unearned(hazardous[i]->result, {&look, 1}).empty())
            hazardous[i]->earned = hazardous[i]->info.points * percent / 100;
}

} // namespace

void give_points(LabReport& report, const check::Lab& lab, const CheckOptions& options, const Looks& looks) {
    for (const auto& need : lab.needs) {
        std::vector<CaseReport*> items;
        for (auto& item : report.cases)
            if (item.info.name.starts_with(need.cases))
                items.push_back(&item);
        const auto calls_for_gate = [](const CaseReport* item) {
            return item->passed() || item->result.verdict == Verdict::hazard || item->result.partly;
        };
        if (std::ranges::none_of(items, calls_for_gate))
            continue;
        const std::string why = why_unearned(report, gate_of(report, need), options.strict_gate, looks);
        if (why.empty() && !options.strict_gate)
            give_part(items, options.hazard_percent, looks);
        for (CaseReport* item : items)
            if (why.empty() && item->result.partly && !options.strict_gate)
                item->earned = static_cast<int>(item->info.points * item->result.share + 1e-9);
        for (CaseReport* item : items)
            if (!why.empty() && item->passed()) {
                item->result.verdict = Verdict::unearned;
                item->result.message = fmt::format("unearned because \"{}\" {}", need.point, why);
            }
    }
    for (auto& item : report.cases)
        item.earned = item.passed() ? item.info.points : item.earned;
}

} // namespace judge
