// Groups findings with one cause: the first is reported in full and the others in a line.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/report/text.h"

namespace sim::hazards {

struct FindingGroup {
    const Finding* cause;
    std::vector<const Finding*> consequences; ///< of the same kernel, later, and with a line in common
};
/// The findings in their order; those that are probably consequences are with the first one that shares a line.
std::vector<FindingGroup> grouped_by_cause(std::span<const Finding> findings);

/// The cause in full, then one paragraph that names its consequences.
std::string text(const FindingGroup& group, const ReportStyle& style);

} // namespace sim::hazards
