#include <algorithm>

#include "judge/checker.h"

namespace judge {

bool CaseReport::incomplete() const {
    return !passed() && result.verdict >= check::Verdict::incomplete;
}

check::Verdict CaseReport::verdict() const {
    if (result.verdict == check::Verdict::passed && !runs)
        return check::Verdict::not_run;
    return incomplete() ? check::Verdict::incomplete : result.verdict;
}

bool LabReport::passed() const {
    return compile_errors.empty() && !cases.empty() &&
           std::ranges::all_of(cases, [](const auto& item) { return item.passed(); });
}

bool LabReport::incomplete() const {
    return compile_errors.empty() && !passed() &&
           std::ranges::all_of(cases, [](const auto& item) { return item.passed() || item.incomplete(); });
}

const CaseReport* LabReport::first_failure() const {
    const CaseReport* worst = nullptr;
    for (const auto& item : cases)
        if (item.result.verdict != check::Verdict::passed && (!worst || item.result.verdict < worst->result.verdict))
            worst = &item;
    return worst;
}

} // namespace judge
