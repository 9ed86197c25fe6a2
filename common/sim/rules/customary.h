// Edges that programs rely on and the memory model does not know.
#pragma once

#include "sim/rules/rule.h"

namespace sim::hazards {

/// Two accesses that only such an edge orders are worth a note, not an error. Explains that in `text`, and returns
/// true.
bool only_customary_edge(const Conflict& conflict, Explanation& text);

} // namespace sim::hazards
