#include "sim/report/json.h"

#include "sim/report/fields.h"

namespace sim::hazards {
namespace {

/// Does it begin with an instruction that is to blame, which is no access (Explanation::cause)? Others may well be
/// consequences.
bool shows_cause(const Finding& finding) {
    return finding.first.threads.empty() && finding.first.line && !finding.others.empty() &&
           !finding.others.front().threads.empty();
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
    for (const Severity severity : {Severity::error, Severity::warning, Severity::note})
        for (const bool causes : {true, false})
            for (const auto& finding : reporter.findings())
                if (finding.severity == severity && shows_cause(finding) == causes) {
                    Finding& copy = all.emplace_back(finding);
                    if (copy.remedy.empty() && copy.rule)
                        copy.remedy = copy.rule->remedy;
                }
    return all;
}

} // namespace sim::hazards
