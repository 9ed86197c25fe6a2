#include "check/gate.h"

#include <algorithm>
#include <map>

#include "check/suite.h"

namespace check {

bool calls_for_second_looks(const RunResult& gate) {
    return gate.verdict == Verdict::hazard || gate.verdict == Verdict::wrong;
}

std::vector<RunConfig> second_looks(const RunConfig& run) {
    std::vector<RunConfig> looks;
    for (const auto& schedule : schedules(2, run.schedule.seed)) {
        RunConfig& look = looks.emplace_back(run);
        look.schedule = schedule;
        look.means = look.repeat = true;
    }
    return looks;
}

std::string why_unearned(const RunResult& gate, std::span<const SecondLook> looks) {
    if (gate.verdict == Verdict::passed || gate.partly)
        return {};
    if (gate.verdict == Verdict::mechanism)
        return "gets its result by other means";
    if (gate.verdict == Verdict::incomplete)
        return "was not judged to its end";
    if (!calls_for_second_looks(gate) || looks.empty())
        return "does not run to its end";
    struct Seen {
        bool all_end = true, right = false, right_if_late = false;
    };
    std::map<size_t, Seen> targets;
    for (const auto& [target, result, late] : looks) {
        if (result.verdict == Verdict::mechanism && !result.partly)
            return "also lacks the mechanism (" + result.message + ")";
        Seen& seen = targets[target];
        const bool ends = result.verdict == Verdict::passed || result.partly,
                   right = ends && 2 * result.right > result.compared;
        seen.all_end &= ends;
        seen.right |= right;
        seen.right_if_late |= right && late;
    }
    for (const auto& [_, seen] : targets) {
        if (!seen.all_end && !seen.right_if_late)
            return "does not run to its end";
        if (!seen.right)
            return "has mostly wrong results";
    }
    return "";
}

} // namespace check
