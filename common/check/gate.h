// A lab's points are for its mechanism. The case that shows it, Lab::Need::point, is the gate of the others: what they
// earn depends on whether it uses the mechanism, not on whether it passes. A hazard or a few wrong results cost the
// gate's own points; a right result by other means costs all of them.
//
// A mistake that shows in every case, such as a missing barrier in the main loop, still leaves something: a case with a
// hazard earns half its points (CheckOptions::hazard_percent) if it is one, and apart from it the case is as the gate
// has to be.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "check/run_config.h"
#include "check/verdict.h"

namespace check {

/// A gate that has failed is looked at once more, without regard to hazards and wrong results: on each target with
/// copies as late as possible, when their number in flight shows, and as early as possible, when a missing wait or
/// barrier does the least harm.
struct SecondLook {
    size_t target; ///< its index
    RunResult result;
    bool late = true; ///< with copies as late as possible
};
/// Can second looks change what the gate's verdict means for the other cases?
bool calls_for_second_looks(const RunResult& gate);
/// What to change in the configuration of a run of the gate; one for each look at a target.
std::vector<RunConfig> second_looks(const RunConfig& run);

/// Why the other cases earn nothing, "gets its result by other means"; empty: they do. No look may find other means,
/// and for each target most results have to be right in one of them. A missing wait or barrier can end one in a
/// deadlock; then the one with late copies, in which results are followed, must run to its end with most of them right.
std::string why_unearned(const RunResult& gate, std::span<const SecondLook> looks);

} // namespace check
