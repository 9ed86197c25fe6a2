// Several threads that store the same value: a note, not a race.
#pragma once

#include "sim/events/access.h"
#include "sim/memory/global_memory.h"
#include "sim/ordering/warp_clock.h"
#include "sim/shadow/shadow.h"

namespace sim::hazards {

/// Who stores, or loads.
struct StoredBy {
    const WarpClock& warp;
    uint32_t lane, pc;
};

/// Does this store write the same value as the cell's last write, from `at` to the end of the word? Or, for a load: did
/// all who may have written it last store the same?
bool same_value(const memory::GlobalMemory&, const events::Access&, const StoredBy&, const Cell&, uint64_t at);

} // namespace sim::hazards
