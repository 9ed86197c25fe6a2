#include "runner/hunt_question.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/problem.h"
#include "base/text.h"
#include "runner/names.h"
#include "runner/report.h"
#include "runner/translation.h"
#include "sim/report/text.h"
#include "sim/rules/rule.h"

namespace runner {

namespace {

using Lines = std::map<std::string, std::set<uint32_t>>; ///< that the reports name, by rule

Lines lines_of(const judge::LabReport& report) {
    Lines lines;
    for (const auto& item : report.cases)
        for (const auto& finding : item.result.findings)
            if (is_error(finding)) {
                auto& of_rule = lines[sim::hazards::rule_name(finding)];
                of_rule.insert(finding.first.line);
                for (const auto& place : finding.others)
                    of_rule.insert(place.line);
            }
    return lines;
}

std::string typed(const std::string& prompt) {
    fmt::print("{}", prompt);
    std::fflush(stdout);
    std::string line;
    std::getline(std::cin, line);
    return std::string(base::trimmed(line));
}

} // namespace

bool ask_about(const judge::LabReport& report, const std::string& guess, size_t width) {
    const Lines lines = lines_of(report);
    if (lines.empty())
        return true; // a wrong result has no line to find
    std::string given = guess;
    if (given.empty())
        given = typed(said("Which rule does the device report, and at which line? RULE:LINE (./lab explain lists the "
                           "rules): "));
    if (given.empty()) {
        fmt::print("\n{}", base::wrapped(said("Answer with --answer RULE:LINE, or see the report: --why"), "", width));
        return false;
    }
    const std::string rule = given.substr(0, given.find(':'));
    const uint32_t line =
        given.find(':') == given.npos ? 0 : uint32_t(std::strtoul(&given[rule.size() + 1], nullptr, 10));
    if (!sim::hazards::find_rule(rule))
        throw base::Problem{said("there is no rule '{}'", rule), said("./lab explain lists all rules")};
    const auto found = lines.find(rule);
    fmt::print("{}\n", found != lines.end() ? said("✓ {} is reported.", rule) : said("✗ {} is not reported.", rule));
    if (found == lines.end() || !line)
        return true;
    const auto other = std::ranges::find_if(lines, [line](const auto& one) { return one.second.contains(line); });
    fmt::print("{}\n", found->second.contains(line) ? said("✓ The report names line {}.", line)
                       : other != lines.end()       ? said("✓ The report names line {}, for {}.", line, other->first)
                                                    : said("✗ The report does not name line {}: it names {}.", line,
                                                           fmt::to_string(fmt::join(found->second, ", "))));
    return true;
}

} // namespace runner
