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
    if (gate.verdict == Verdict::passed)
        return {};
    if (gate.verdict == Verdict::mechanism)
        return "gets its result by other means";
    if (gate.verdict == Verdict::incomplete)
        return "was not judged to its end";
    if (!calls_for_second_looks(gate) || looks.empty())
        return "does not run to its end";
    std::map<size_t, bool> mostly_right;
    for (const auto& [target, result] : looks) {
        if (result.verdict == Verdict::mechanism)
            return "does not use the mechanism either: " + result.message;
        if (result.verdict != Verdict::passed)
            return "does not run to its end";
        mostly_right[target] |= 2 * result.right > result.compared;
    }
    const bool all = std::ranges::all_of(mostly_right, [](const auto& one) { return one.second; });
    return all ? "" : "has mostly wrong results";
}

} // namespace check
