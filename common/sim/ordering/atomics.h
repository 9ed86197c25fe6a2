// Order by fences and by accesses that synchronise: atomics, volatile, relaxed, acquire and release.
#pragma once

#include <unordered_map>

#include "sim/events/access.h"
#include "sim/ordering/operations.h"
#include "sim/ordering/warp_clock.h"

namespace sim::hazards {

using events::Scope;
using events::Semantics;

/// What a released location publishes to the threads that read it.
struct LocationClock {
    ClockRef block, device;    ///< visible at block scope, and at device scope
    uint64_t owner = 0;        ///< block that `block` belongs to
    uint64_t released_by = 0;  ///< block that has published `device`; several_blocks: not one alone
    uint32_t narrow_pc = 0;    ///< what has published `block`,
    bool narrow_fence = false; ///< a fence, or the write itself
    /// What the last release of one thread published: its later stores to the location publish it, too.
    struct Release {
        uint64_t block = 0;
        uint32_t warp = 0, lane = 0;
        bool whole_device = false;
        ClockRef clock;
    } release;
    static constexpr uint64_t several_blocks = ~uint64_t{0};
};
using LocationClocks = std::unordered_map<uint64_t, LocationClock>;

/// Is this access ordered after `e` by what it acquires at its own location? Only if an earlier relaxed access has
/// shown the same: otherwise it may just as well come before the release.
bool acquires(const WarpClock& warp, uint32_t lane, Semantics semantics, const LocationClock& location, Epoch e);

/// One strong access of one lane.
struct StrongAccess {
    events::Access::Kind kind;
    Semantics semantics;
    Scope scope;
    uint32_t pc;
    uint32_t last_write_pc; ///< of the location
};

class Atomics {
  public:
    explicit Atomics(const Operations& operations) : operations_(operations) {}

    void fence(WarpClock& warp, Semantics semantics, Scope scope, uint32_t mask, uint32_t pc);
    /// Must access() be called for a strong access that finds no clock at its location?
    bool matters(const WarpClock& warp, Semantics semantics) const {
        return warp.fenced || device_fences_ || semantics >= Semantics::acquire;
    }
    /// `has_clock`: the location has one in `locations`, under `key`. Returns whether it has one afterwards.
    bool access(WarpClock& warp, uint32_t lane, const StrongAccess& access, LocationClocks& locations, uint64_t key,
                bool has_clock);
    /// Only stream order can order the next operation, so nothing here matters to it.
    void forget();

    LocationClocks global; ///< of global memory, by address

  private:
    void read(WarpClock& warp, uint32_t lane, const StrongAccess& access, const LocationClock& location);
    ClockRef fenced_by_others(WarpClock& warp, uint32_t lane);
    ClockRef still_needed(const ClockRef& clock) const;

    const Operations& operations_;
    bool device_fences_ = false; ///< a fence of device scope has been executed since forget()
    bool relaxed_reads_ = false; ///< a relaxed access has read what a fence has published
};

} // namespace sim::hazards
