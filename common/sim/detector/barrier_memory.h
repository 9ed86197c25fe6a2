// Shared memory that holds mbarriers, and data that is written there without mbarrier.inval.
#pragma once

#include "sim/detector/core.h"

namespace sim::hazards::barrier_memory {

void begin(const events::Mbarrier& barrier, Core& core);
void end(const events::Mbarrier& barrier);

/// `lane` writes data, or issues the copy `by` that writes it. An mbarrier in these bytes ends with that, and if
/// another thread may still be using it, that is an error.
void write(Core& core, Exec& x, uint32_t lane, Block& owner, uint64_t offset, uint64_t bytes, Epoch by, bool copy);
/// The same for a warp's store or atomic operation.
void write(Core& core, Exec& x, const events::Access& access);

/// Has data been written over this mbarrier? Reports the first use after that.
bool used_after_data(Core& core, Exec& x, uint32_t mask, const events::Mbarrier& barrier);
/// No mbarrier was used any more whose memory became data: that is a warning.
void block_end(Core& core, Block& block);

/// Are all uses of the mbarrier ordered before this lane? If not, *bad is one of them.
bool uses_ordered(const Core& core, const WarpClock& clock, uint32_t lane, const events::Mbarrier& barrier,
                  Reader* bad);

} // namespace sim::hazards::barrier_memory
