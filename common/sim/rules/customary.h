// Edges that programs rely on and the memory model does not know.
#pragma once

#include "sim/rules/rule.h"

namespace sim::hazards {

/// Two accesses that only such an edge orders are worth a note, or a warning where it has cost results, but no error.
/// Explains that in `text`.
std::optional<Severity> only_customary_edge(const Conflict& conflict, Explanation& text);

/// Named barriers lie between the two accesses, and have the wrong number or count: then says so in `text`.
void named_barriers_apart(const Conflict& conflict, Explanation& text);
void named_barriers_apart(const Conflict::NamedBarriers& barriers, Explanation& text);

} // namespace sim::hazards
