#include "runner/puzzle.h"

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "runner/report.h"
#include "sim/report/text.h"
#include "sim/rules/suspects.h"

namespace runner {

using judge::CaseReport, judge::LabReport;
using nlohmann::json;
namespace fs = std::filesystem;
using sim::hazards::Finding;

std::string title(std::string_view answer) {
    if (answer == nothing)
        return "the kernel passes without it";
    if (answer == wrong_result)
        return "no hazard is reported, but the lab fails";
    const auto* rule = sim::hazards::find_rule(answer);
    return std::string(rule ? rule->title : "");
}

Puzzle::Puzzle(const LabReport& report, const SkippedLine& place, const std::vector<std::string>& mnemonics,
               Random& random)
    : report_(report) {
    if (const CaseReport* failure = report.first_failure()) {
        rule_ = wrong_result;
        shown_ = *failure;
    }
    for (const auto& item : report.cases)
        for (const auto& finding : item.result.findings)
            if (is_error(finding) && !item.passed())
                collect(finding);
    // Of several rules, the most informative: the expected one, else the first that the check reports.
    for (const auto& finding : shown_.result.findings)
        if (!is_rule(rule_) && is_error(finding))
            rule_ = rule_name(finding);
    for (const auto* rule : sim::hazards::suspected_without(place.mnemonic, mnemonics))
        if (lines_.contains(std::string(rule->name))) {
            rule_ = rule->name;
            break;
        }
    show_case();
    // The answer, three that are not, and the two that always may be.
    auto others = sim::hazards::suspected_without(place.mnemonic, mnemonics);
    std::ranges::shuffle(others, random);
    std::erase_if(others, [&](const auto* rule) { return lines_.contains(std::string(rule->name)); });
    for (size_t i = 0; i < std::min<size_t>(others.size(), is_rule(rule_) ? 3 : 4); ++i)
        choices_.emplace_back(others[i]->name);
    if (is_rule(rule_))
        choices_.push_back(rule_);
    std::ranges::sort(choices_);
    choices_.emplace_back(wrong_result);
    choices_.emplace_back(nothing);
}

const std::set<uint32_t>& Puzzle::lines(const Guess& guess) const {
    static const std::set<uint32_t> none;
    const auto found = lines_.find(right(guess) ? guess.rule : rule_);
    return found == lines_.end() ? none : found->second;
}

json Puzzle::to_json() const {
    json offered = json::array(), reported = json::array();
    for (const auto& choice : choices_)
        offered.push_back({{"answer", choice}, {"title", title(choice)}});
    for (const auto& [rule, lines] : lines_)
        reported.push_back({{"rule", rule}, {"lines", lines}});
    return {{"choices", offered}, {"answer", rule_}, {"reported", reported}, {"check", judge::to_json(report_)}};
}

void Puzzle::show_case() {
    const auto fits = [&](const Finding& finding) { return is_error(finding) && rule_name(finding) == rule_; };
    for (const auto& item : report_.cases)
        if (!item.passed() && std::ranges::any_of(item.result.findings, fits)) {
            shown_ = item;
            break;
        }
    auto& findings = shown_.result.findings;
    std::stable_partition(findings.begin(), findings.end(), fits);
}

void Puzzle::collect(const Finding& finding) {
    auto& lines = lines_[rule_name(finding)];
    auto add = [&](const sim::hazards::Place& place) {
        if (fs::path(place.file).filename() == report_.source.filename() && place.line != 0)
            lines.insert(place.line);
    };
    add(finding.first);
    std::ranges::for_each(finding.others, add);
}

} // namespace runner
