// Of several findings with one cause, the first is told in full and the others in a line.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/report/text.h"

namespace sim::hazards {

struct Told {
    const Finding* cause;
    std::vector<const Finding*> consequences; ///< of the same kernel, later, and with a line in common
};
/// The findings in their order; those that are probably consequences are with the first one that shares a line.
std::vector<Told> causes_first(std::span<const Finding> findings);

/// The cause in full, then one paragraph that names its consequences.
std::string text(const Told& told, const ReportStyle& style);

} // namespace sim::hazards
