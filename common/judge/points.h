// What the cases of a lab earn: check/gate.h says by which rules.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "check/gate.h"
#include "judge/checker.h"

namespace judge {

/// Runs failed cases again, without regard to hazards and wrong results.
struct Looks {
    std::function<std::vector<check::SecondLook>(size_t)> at_gate; ///< by the case's index
    std::function<std::vector<check::RunResult>(std::span<CaseReport* const>)> briefly;
};

/// Sets CaseReport::earned, and the verdict of cases whose points are withheld.
void give_points(LabReport& report, const check::Lab& lab, const CheckOptions& options, const Looks& looks);

} // namespace judge
