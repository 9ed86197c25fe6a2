// What happens before an instruction of a warp whose values are watched (Pending::watches): loads that are reported
// when they are used, and listeners that follow values.
#pragma once

#include <cstdint>

namespace sim::machine {

struct Exec;
struct Op;

/// `active`: the fragment's lanes; x.mask: those that execute the instruction.
void step_pending(Exec& x, const Op& op, uint32_t pc, uint32_t active);
/// No lane executes it, but the guard itself may hang on a pending value.
void skip_pending(Exec& x, const Op& op, uint32_t pc, uint32_t active);

} // namespace sim::machine
