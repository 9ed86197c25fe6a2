// What another execution may do that the device does not: it executes strong accesses of a thread in order.
#pragma once

#include <cstdint>

namespace sim::hazards {

/// Store buffering: two threads each store to a location, then load the other's, and a fence.sc is missing in one of
/// them. The first place: the load that has seen the other thread's store; the second: that store.
struct StoreBuffered {
    uint32_t own_store_pc;  ///< of the thread that loads
    uint32_t other_load_pc; ///< of the other thread, which has seen the old value
    bool half_fenced;       ///< one of the threads has a fence.sc
};

} // namespace sim::hazards
