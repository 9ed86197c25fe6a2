// What the detector knows of warps, blocks, mbarriers and bulk copies.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/hazards/clock.h"
#include "sim/hazards/shadow.h"
#include "sim/machine/observer.h"

namespace sim::hazards {

using machine::Scope;

/// A wait or commit as the thread last executed it; reports quote it.
struct WaitEvent {
    uint32_t pc = 0;
    uint32_t n = 0;       ///< cp.async.wait_group N
    uint32_t issued = 0;  ///< copies the warp had issued by then
    uint32_t commits = 0; ///< commits that the warp had executed by then
};

/// A successful wait on an mbarrier.
struct BarrierWait {
    uint32_t barrier = 0; ///< BarrierClock::id; 0: none since the last block barrier
    uint32_t phase = 0, pc = 0;
    bool again = false; ///< the thread had waited for this phase before
    /// Before its first phase is over, a barrier says yes to parity 1.
    bool before_first() const { return phase == UINT32_MAX; }
};

/// An arrival of some lanes on an mbarrier.
struct BarrierArrival {
    uint32_t mask = 0, barrier = 0, phase = 0, pc = 0, tick = 0;
    uint32_t copies = 0; ///< cp.async issued by then
    bool tracks = false; ///< cp.async.mbarrier.arrive
};

struct WarpState {
    uint64_t block = 0; ///< device-wide number
    uint32_t warp = 0;
    uint32_t population = 0;
    uint32_t tick = 1;
    ClockRef common;                   ///< the clock of every lane, while they share one
    std::array<ClockRef, 32> separate; ///< each lane's own, while they do not
    bool one_clock = true;
    const ClockRef& clock(uint32_t lane) const { return one_clock ? common : separate[lane]; }
    void diverge();  ///< from one clock to separate ones
    void converge(); ///< back to one, if all lanes hold the same
    bool copies_used = false, fences_used = false, bulk_used = false,
         membar_used = false; ///< planes that are not all zero
    Lanes copies_done{}, copies_fenced{}, fenced_shared{}, fenced_global{}, bulk_read{}, bulk_done{};
    std::array<ClockRef, 32> fence_clock;       ///< released by the last fence: what relaxed writes publish
    std::array<ClockRef, 32> seen_clock;        ///< read by relaxed accesses: what the next fence acquires
    std::array<ClockRef, 32> seen_last;         ///< the one that was read last
    std::array<ClockRef, 32> fence_clock_block; ///< the same for fences of block scope
    bool fenced = false, seen = false;          ///< any of the above is set
    Lanes membar{};                             ///< Plane::fenced_device
    ClockRef projected_from, projected;         ///< what others have fenced, for the last clock that was asked
    Lanes rendezvous_tick{}, rendezvous_mask{};
    struct Commit {
        uint32_t upto; ///< copies issued by then
        uint32_t mask;
        uint32_t tick;
    };
    std::vector<Commit> commits;
    uint32_t commits_dropped = 0; ///< so many older ones have been forgotten
    std::array<WaitEvent, 32> last_wait{};
    uint32_t copies_issued = 0, copies_at_barrier = 0; ///< now; when it last left a block barrier
    uint32_t last_bulk_wait_pc = 0, last_bulk_wait_copies = 0;
    uint64_t last_copy_at = 0;                       ///< warp instructions executed before the last cp.async
    uint32_t copy_wait_count = 0, waits_at_once = 0; ///< for the note no-overlap
    ClockRef narrow;                                 ///< told by releases whose scope this warp is outside of
    uint32_t narrow_release_pc = 0, narrow_acquire_pc = 0;
    uint32_t synchronisations = 0;                     ///< block barriers and mbarrier phases waited for
    uint32_t proxy_fence_pc = 0, proxy_fence_sync = 0; ///< the last proxy fence, and `synchronisations` then
    std::array<BarrierWait, 32> waited{};
    std::array<uint32_t, 16> arrived{}; ///< lanes that have arrived at a block barrier that is not complete yet
    Lanes bulk_committed{};             ///< bulk stores of the thread in committed groups
    struct BulkWait {
        uint32_t pc = 0;
        uint32_t issued = 0; ///< bulk stores that the warp had issued by then
    };
    std::array<BulkWait, 32> bulk_waits{};
    std::array<BulkWait, 32> copy_waits{}; ///< waits for cp.async groups
    uint32_t bulk_issued = 0;
    std::array<BarrierArrival, 16> arrivals{}; ///< a ring: the most recent ones
    uint32_t arrival_count = 0;
    struct Passed {
        uint32_t mask, barrier, phase;
    };
    std::array<Passed, 16> passed{}; ///< a ring: phases that have been waited for
    uint32_t passed_count = 0;
    uint32_t passed_before(uint32_t mask, uint32_t barrier, uint32_t phase); ///< those of `mask`; remembers `mask`
    void remember(const BarrierArrival& arrival);
    /// The first remembered arrival of a lane that f() accepts; nullptr: there is none.
    template <class F>
    const BarrierArrival* arrival(uint32_t lane, F&& f) const {
        const auto size = uint32_t(arrivals.size());
        for (uint32_t i = arrival_count < size ? 0 : arrival_count - size; i < arrival_count; ++i)
            if (const auto& a = arrivals[i % size]; (a.mask >> lane & 1) && f(a))
                return &a;
        return nullptr;
    }
};

struct LocationClock {
    ClockRef block, device; ///< visible at block scope, and at device scope
    uint64_t owner = 0;     ///< block that `block` belongs to
};

/// fence.proxy.tensormap::generic.acquire of one map, as one thread executed it.
struct MapAcquire {
    uint64_t address = 0;
    uint32_t warp = 0, lane = 0, tick = 0;
    Scope scope = Scope::sys;
    ClockRef knows; ///< what the thread was ordered after
};

struct BlockState {
    uint64_t id = 0;
    SharedShadow shadow;
    std::array<ClockBuilder, 16> arriving;
    std::array<ClockRef, 16> completed;
    std::unordered_map<uint32_t, LocationClock> locations;
    std::vector<std::unique_ptr<WarpState>> warps;
    uint32_t idle_bulk_wait_pc = 0; ///< a wait for bulk groups by a thread that had none
    std::vector<MapAcquire> map_acquires;
    ClockRef map_released; ///< by releases of block scope
};

/// The clocks of one mbarrier initialisation; kept by the async layer beside the barrier's state.
struct BarrierClock {
    uint32_t id = 0;
    uint64_t block = 0;
    uint32_t warps = 0;
    ClockBuilder arriving;
    ClockRef completed;
    uint32_t init_pc = 0;
    uint32_t phase = 0;  ///< phases completed
    bool expects = false; ///< bytes, in the current phase
    uint32_t waited = 0; ///< phases up to the last one that somebody has waited for
    struct Arrived {
        uint64_t block;
        uint32_t warp, mask;
        bool by_copies; ///< cp.async.mbarrier.arrive
    };
    std::vector<Arrived> arrived; ///< in the current phase
    void remember(uint64_t block, uint32_t warp, uint32_t mask, bool by_copies) {
        if (!arrived.empty() && arrived.back().block == block && arrived.back().warp == warp &&
            arrived.back().by_copies == by_copies)
            arrived.back().mask |= mask;
        else
            arrived.push_back({block, warp, mask, by_copies});
    }
};

/// A bulk copy, as the detector remembers it.
struct AsyncOp {
    uint64_t block = 0; ///< of the issuing thread
    uint32_t warp = 0, lane = 0, pc = 0;
    uint32_t tick = 0;      ///< of the warp, at the issue
    bool by_barrier = true; ///< completes on an mbarrier; else in the issuer's bulk groups
    uint32_t barrier = 0;   ///< BarrierClock::id
    uint64_t barrier_block = 0;
    bool elsewhere = false; ///< the barrier lies in another block than the destination
    uint32_t issued_in = 0; ///< phase of the barrier at the issue
    bool announced = false; ///< that phase expected bytes already
    uint32_t phase = 0;     ///< phase of the barrier in which it landed
    bool landed = false;
    bool reduction = false;
    uint64_t bytes = 0; ///< that arrived, and what the phase still expected then
    int64_t expected = 0;
    uint32_t index = 0; ///< bulk operations of the warp in issue order (for groups)
};

} // namespace sim::hazards
