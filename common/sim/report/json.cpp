#include "sim/report/json.h"

#include <algorithm>

#include "sim/report/fields.h"
#include "sim/rules/list.h"

namespace sim::hazards {
namespace {

/// Does it begin with an instruction that is to blame, which is no access (Explanation::cause), or with a call that was
/// not carried out? Others may well be consequences.
bool shows_cause(const Finding& finding) {
    return finding.rule == &rule::failed_call || (finding.first.threads.empty() && finding.first.line &&
                                                  !finding.others.empty() && !finding.others.front().threads.empty());
}

bool between_same_lines(const Finding& a, const Finding& b) {
    const auto same = [](const Place& one, const Place& other) {
        return one.line == other.line && one.file == other.file;
    };
    return a.kernel == b.kernel && same(a.first, b.first) && !a.others.empty() && !b.others.empty() &&
           same(a.others.front(), b.others.front());
}

/// A finding comes before those that would rather be it.
void put_first_what_knows_better(std::vector<Finding>& all) {
    for (auto at = all.begin(); at != all.end(); ++at) {
        const auto better = std::find_if(at, all.end(), [&](const Finding& finding) {
            return at->rule && at->rule->rather && finding.rule == at->rule->rather &&
                   finding.severity == at->severity && between_same_lines(*at, finding);
        });
        if (better != all.end())
            std::rotate(at, better, better + 1);
    }
}

/// A missing wait is no consequence of a deadlock that came after it.
bool after_a_missing_wait(const Finding& finding, const std::vector<Finding>& all) {
    return finding.rule && finding.rule->symptom && std::ranges::any_of(all, [&](const Finding& other) {
               return other.rule == &rule::missing_wait && other.severity == Severity::error &&
                      other.number < finding.number && other.kernel == finding.kernel;
           });
}

} // namespace

nlohmann::json to_json(const Finding& finding) {
    return base::to_json(finding);
}

nlohmann::json to_json(const std::vector<Finding>& findings) {
    return base::to_json(findings);
}

nlohmann::json to_json(const std::vector<Gap>& gaps) {
    return base::to_json(gaps);
}

nlohmann::json to_json(const machine::Executed& executed) {
    return base::to_json(executed);
}

Finding finding_from(const nlohmann::json& json) {
    return base::from_json<Finding>(json);
}

std::vector<Finding> reported(const Reporter& reporter) {
    std::vector<Finding> all;
    const std::vector<Finding>& known = reporter.findings();
    const auto first = [&](const Finding& finding) {
        return shows_cause(finding) && !after_a_missing_wait(finding, known);
    };
    for (const Severity severity : {Severity::error, Severity::warning, Severity::note})
        for (const bool causes : {true, false})
            for (const auto& finding : known)
                if (finding.severity == severity && first(finding) == causes) {
                    Finding& copy = all.emplace_back(finding);
                    if (copy.remedy.empty() && copy.rule)
                        copy.remedy = copy.rule->remedy.text();
                }
    put_first_what_knows_better(all);
    return all;
}

} // namespace sim::hazards
