// Shared memory that mbarriers lie in, and data that is written there without mbarrier.inval.
#pragma once

#include "sim/detector/core.h"

namespace sim::hazards::barrier_memory {

void begin(const events::Mbarrier& barrier, Core& core);
void end(const events::Mbarrier& barrier);

/// `lane` writes data, or issues the copy `by` that will: whatever mbarrier lies there ends. An error at once if
/// somebody may still be using it.
void write(Core& core, Exec& x, uint32_t lane, Block& owner, uint64_t offset, uint64_t bytes, Epoch by, bool copy);
/// The same for a warp's store or atomic operation.
void write(Core& core, Exec& x, const events::Access& access);

/// Is this mbarrier one that data was written over? Says so the first time that it is used all the same.
bool used_after_data(Core& core, Exec& x, uint32_t mask, const events::Mbarrier& barrier);
/// No mbarrier was used any more whose memory became data: that is a warning.
void block_end(Core& core, Block& block);

/// Are all uses of the mbarrier ordered before this lane? If not, *bad is one of them.
bool uses_ordered(const Core& core, const WarpClock& clock, uint32_t lane, const events::Mbarrier& barrier,
                  Reader* bad);

} // namespace sim::hazards::barrier_memory
