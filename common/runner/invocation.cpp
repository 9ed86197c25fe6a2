#include "runner/invocation.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "runner/context.h"

namespace runner {

using sim::hazards::Severity, sim::hazards::FindingGroup;

std::vector<SuppressionRemark> Invocation::remarks() const {
    if (!suppressions)
        return {};
    // Programs that were not run to their end under all schedules might have had the finding.
    const bool all_judged = std::ranges::all_of(programs, [](const Program& program) {
        const Outcome& outcome = program.outcome;
        return program.problem.empty() && outcome.code != code_timeout && !outcome.not_supported &&
               !(outcome.errors && outcome.run < outcome.of);
    });
    return suppressions->remarks(all_judged);
}

Severity Invocation::severity(const SuppressionRemark& remark) const {
    return remark.unused && strict ? Severity::error : Severity::note;
}

int Invocation::exit_code() const {
    const auto remarked = remarks();
    if (std::ranges::any_of(remarked, [&](const auto& remark) { return severity(remark) == Severity::error; }) ||
        std::ranges::count(programs, code_hazard, &Program::exit_code))
        return code_hazard;
    int code = 0;
    for (const Program& program : programs)
        if (code == 0 || (code == code_incomplete && program.exit_code != 0))
            code = program.exit_code;
    return code;
}

std::vector<Trouble> troubles(const Program& program) {
    if (!program.problem.empty())
        return {{program.verdict, std::string(base::trimmed(program.problem + "\n" + program.details)), program.next}};
    std::vector<Trouble> all;
    const Outcome& outcome = program.outcome;
    if (program.verdict == "not-supported") {
        std::string missing;
        for (const auto& place : outcome.executed.refused)
            missing += (missing.empty() ? ": " : ", ") + place.what;
        all.push_back({program.verdict, "the simulated device does not have what the program needs" + missing,
                       "docs/fidelity.md lists what the device has"});
    } else if (program.verdict == "timeout") {
        all.push_back({program.verdict, "the program ran out of time", "--timeout gives it more time"});
    } else if (program.verdict == "failed") {
        all.push_back(
            {program.verdict, fmt::format("the program exited with {}", outcome.code), "its own output says why"});
    }
    if (program.verdict != "not-supported" && program.verdict != "timeout") // which say enough
        for (const auto& [what, next] : outcome.gaps)
            all.push_back({"incomplete", what, next});
    return all;
}

std::vector<FindingGroup> grouped_findings(const Program& program, bool all) {
    if (!all)
        return sim::hazards::grouped_by_cause(program.outcome.findings);
    std::vector<FindingGroup> each;
    for (const auto& finding : program.outcome.findings)
        each.push_back({&finding, {}});
    return each;
}

} // namespace runner
