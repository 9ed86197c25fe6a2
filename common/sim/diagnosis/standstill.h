// Why no thread can make progress, if the places where the threads wait show it.
#pragma once

#include <optional>

#include "sim/diagnosis/facts.h"

namespace sim::hazards {

/// Producers that wait for parity 0 of a new barrier, while those who would complete its first phase wait for them;
/// nullopt: it is something else, or not certain.
std::optional<ProducerWaitsFirst> producer_waits_first(const Context& context);

/// What is missing for the phase of an mbarrier, if no waiting thread could still provide it; nullopt: uncertain.
std::optional<StuckPhase> stuck_phase(const Context& context);

} // namespace sim::hazards
