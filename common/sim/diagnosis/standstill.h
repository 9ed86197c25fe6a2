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

/// Phases that were over before the threads that wait for the next one had waited for them.
std::optional<PhasesOverrun> phases_overrun(const Context& context);
/// A phase that lacks the arrivals of threads that have passed by the arrival of their neighbours.
std::optional<SkippedArrival> skipped_arrival(const Context& context);
/// A wait for what no thread is left to do; nullopt: each could be satisfied by threads that wait for something else.
std::optional<HopelessWait> hopeless_wait(const Context& context);

} // namespace sim::hazards
