// Tensor maps in global memory: copies read them through the tensormap proxy, so that a map which the device has
// modified must have been released towards that proxy by its writer and acquired from it in the block that uses it.
#pragma once

#include <unordered_map>
#include <vector>

#include "sim/ordering/atomics.h"
#include "sim/ordering/ordering.h"

namespace sim::hazards {

/// What releases towards the tensormap proxy have covered.
class MapReleases {
  public:
    void release(WarpClock& warp, uint32_t mask);
    bool covers(Epoch e) const { return hazards::covers(known_, e); }

  private:
    ClockRef known_;
};

/// fence.proxy.tensormap::generic.acquire, as the threads of one block executed it.
class MapAcquires {
  public:
    enum class Answer : uint8_t { no, too_narrow, yes };

    void acquire(WarpClock& warp, uint32_t lane, uint64_t address, Scope scope);
    /// Is this lane ordered after an acquire of the map at `address` that covers the write `e`? 0: the host's.
    Answer acquired(const Ordering& ordering, const WarpClock& warp, uint32_t lane, uint64_t address, Epoch e) const;
    bool any(uint64_t address) const;

  private:
    struct Acquire {
        uint32_t warp = 0, lane = 0, tick = 0;
        Scope scope = Scope::sys;
        ClockRef knows; ///< the clock of everything that the thread was ordered after
    };
    /// The acquires and releases of one map, in the order of execution: the last few of each thread.
    struct OfMap {
        std::vector<Acquire> acquires;
        bool some_forgotten = false;
    };
    std::unordered_map<uint64_t, OfMap> maps_;
    bool some_forgotten_ = false; ///< maps
};

} // namespace sim::hazards
