// The knowledge of one warp's lanes about other threads, and the part of it that others may acquire.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "sim/ordering/clock.h"
#include "sim/ordering/epoch.h"

namespace sim::hazards {

class WarpClock;

/// Arrivals at an mbarrier with block scope, by threads of other blocks than its own.
struct NarrowArrivals {
    struct Arrival {
        ClockRef known;
        uint64_t block;
        uint32_t warp, mask, tick;
    };
    struct Fenced {
        uint64_t block;
        uint32_t warp, lane;
        ClockRef known;
    };
    void add(const WarpClock& warp, uint32_t mask, uint32_t at);
    bool cover(Epoch e) const;  ///< of a plain access
    bool fenced(Epoch e) const; ///< is the plain access covered by a fence of these threads? Its scope may be wider

    std::vector<Arrival> arrivals; ///< in one phase
    std::vector<Fenced> fences;    ///< the last of each thread, in any phase so far
    uint32_t pc = 0;               ///< of the last arrival; 0: there was none
};

/// What most accesses ask for comes first, in two lines of the cache.
class alignas(64) WarpClock {
  public:
    uint64_t block = 0; ///< device-wide number
    uint32_t warp = 0;
    uint32_t population = 0; ///< lanes that exist
    uint32_t tick = 1;       ///< release operations so far

  private:
    uint32_t warps = 0;
    /// Ordinary accesses of its own that all lanes know of besides, while they share a clock. Apart from it, so that
    /// warps that wait for the same phase share a clock, although each synchronises within itself.
    uint32_t synced_ = 0;
    bool one_clock_ = true;
    mutable uint32_t least_known_ = 0, most_known_ = 0;
    mutable const uint32_t* known_to_all_ = nullptr; ///< in the common clock, or known_; nullptr: not looked for yet
    ClockRef common_;                                ///< the clock of every lane, while they share one

  public:
    Epoch landed = ~Epoch{0}; ///< a bulk operation that all lanes know to be complete
    Epoch write = ~Epoch{0};  ///< writes of a warp, or of a host operation, that all lanes are ordered after
    /// The last wait was for a phase on which threads of other blocks had arrived with block scope. Programs rely on
    /// such arrivals to reuse memory; they do not make written bytes visible.
    struct NarrowWait {
        std::shared_ptr<const NarrowArrivals> arrivals;
        ClockRef before;   ///< the lanes' clock before the wait
        uint32_t mask = 0; ///< 0: it was no such wait, or something else has been acquired since
        uint32_t wait_pc = 0;
    };
    NarrowWait narrow_wait;

    WarpClock() = default;
    WarpClock(WarpClock&&) = default; // known_to_all_ may name a member: only new ones are moved
    WarpClock& operator=(WarpClock&&) = default;
    /// `blocks_warps`: number of warps in its block. `start`: what is known before the first instruction.
    WarpClock(uint64_t in_block, uint32_t number, uint32_t lanes, uint32_t blocks_warps, ClockRef start)
        : block(in_block), warp(number), population(lanes), warps(blocks_warps), common_(std::move(start)) {}

    /// What the lane knows. Questions about a single warp have quicker answers below.
    const ClockRef& clock(uint32_t lane) const { return synced_ ? whole() : apart_from_own(lane); }
    /// Do all lanes hold one clock? Then it is clock(any lane).
    bool one_clock() const { return one_clock_; }
    /// Has the clock of lane 0, which warps share, noted that this bulk operation is complete?
    bool has_noted(Epoch landed) const { return apart_from_own(0)->has_noted(landed); }
    void note(Epoch landed) const { apart_from_own(0)->note(landed); }
    uint32_t warps_of_block() const { return warps; }
    /// By warp of its own block: ticks that all lanes know of its ordinary accesses.
    const uint32_t* known_to_all() const {
        if (!known_to_all_)
            find_known();
        return known_to_all_;
    }
    /// The least of these, and the greatest.
    uint32_t least_known() const {
        known_to_all();
        return least_known_;
    }
    uint32_t most_known() const {
        known_to_all();
        return most_known_;
    }
    /// How far lane `lane` knows lane `of_lane` of a warp to have come.
    uint32_t at(uint32_t lane, uint64_t of_block, Plane plane, uint32_t of_warp, uint32_t of_lane) const {
        const Chunk* chunk = apart_from_own(lane)->chunk(of_block);
        const uint32_t known = chunk ? chunk->at(plane, of_warp, of_lane) : 0;
        return plane == Plane::generic && of_block == block && of_warp == warp ? std::max(known, synced_) : known;
    }
    /// The same for all lanes of that warp.
    uint32_t at_least(uint32_t lane, uint64_t of_block, Plane plane, uint32_t of_warp) const {
        const Chunk* chunk = apart_from_own(lane)->chunk(of_block);
        const uint32_t known = chunk ? chunk->at_least(plane)[of_warp] : 0;
        return plane == Plane::generic && of_block == block && of_warp == warp ? std::max(known, synced_) : known;
    }
    /// Phases of an mbarrier of that block which the lane knows to be complete.
    uint32_t phases(uint32_t lane, uint64_t of_block, uint32_t barrier) const {
        const Chunk* chunk = apart_from_own(lane)->chunk(of_block);
        return chunk ? chunk->phases(barrier) : 0;
    }
    /// Does lane 0 know anything of that block? Does it know more of some lanes than of others of their warp?
    bool knows_of(uint64_t of_block) const {
        return (synced_ && of_block == block) || apart_from_own(0)->chunk(of_block);
    }
    bool has_details(uint64_t of_block) const {
        const Chunk* chunk = apart_from_own(0)->chunk(of_block);
        return chunk && (of_block == block ? chunk->has_details(warp, synced_) : chunk->has_details());
    }
    bool has_details() const {
        return std::ranges::any_of(apart_from_own(0)->entries(), [this](const auto& e) {
            return e.block == block ? e.chunk->has_details(warp, synced_) : e.chunk->has_details();
        });
    }

    /// Joins the knowledge and the past operations of those lanes into `builder`. Later operations are not covered.
    void release_into(ClockBuilder& builder, uint32_t mask);
    ClockRef released(uint32_t mask);
    /// Lanes `mask` acquire `clock`. `replaces`: it already covers what they know. `last`: the clock of a warp that has
    /// acquired the same, since warps that go through the same barriers share their clocks.
    struct Acquired {
        ClockRef before, clock, after;
    };
    void acquire(uint32_t mask, const ClockRef& clock, bool replaces = false, Acquired* last = nullptr);
    /// Lanes `mask` synchronise with each other.
    void sync(uint32_t mask);
    /// fence.proxy.async: fences all operations that the lanes are ordered after, and their own, towards the async
    /// proxy.
    void proxy_fence(uint32_t mask, bool shared, bool global);

    // The lanes' own progress, by plane.
    Lanes copies_done{}, copies_fenced{}, fenced_shared{}, fenced_global{}, bulk_read{}, bulk_done{};
    Lanes fenced_device{};
    uint32_t matrices_done = 0; ///< of its warpgroup
    bool copies_used = false, fences_used = false, bulk_used = false,
         membar_used = false; ///< planes that are not all zero

    // Relaxed accesses with fences (atomics.h).
    std::array<ClockRef, 32> fence_clock;       ///< released by the last fence: what relaxed writes publish
    std::array<ClockRef, 32> fence_clock_block; ///< the same for fences of block scope
    std::array<ClockRef, 32> seen_clock;        ///< read by relaxed accesses: what the next fence acquires
    std::array<ClockRef, 32> seen_in_block;     ///< the same, published by threads of the block
    std::array<ClockRef, 32> seen_last;         ///< the one that was read last
    bool fenced = false, seen = false;          ///< any of the above is set
    ClockRef projected_from, projected;         ///< what others have fenced, for the last clock that was asked
    uint32_t block_fence_pc = 0;                ///< the last fence of block scope
    /// The last release and acquire of which one does not include the other's thread, because its scope is the block.
    struct NarrowEdge {
        enum class Part : uint8_t { release, fence_before, acquire, fence_after };
        ClockRef clock, wide; ///< what the edge would have ordered, and what of that is ordered nevertheless
        Part part = Part::release;
        uint32_t pc = 0, release_pc = 0, acquire_pc = 0; ///< pc: of that part
    };
    NarrowEdge narrow;
    /// What strong accesses of the lanes have read last: a write of another thread; empty: none.
    struct Observed {
        Epoch write = 0;
        uint32_t write_pc = 0, pc = 0;
        uint64_t at = 0; ///< the address, or the offset in shared memory
        bool shared = false;
    };
    std::vector<Observed> observed;
    void observe(uint32_t lane, const Observed& what) {
        observed.resize(32);
        observed[lane] = what;
    }

  private:
    void find_known() const;
    /// Without what the lanes know of each other since they have synchronised.
    const ClockRef& apart_from_own(uint32_t lane) const { return one_clock_ ? common_ : separate_[lane]; }
    const ClockRef& whole() const;
    void set_common(ClockRef clock, uint32_t synced); ///< the clock of all lanes
    void diverge();                                   ///< from one clock to separate ones
    void converge();                                  ///< back to one, if all lanes hold the same
    /// Replaces the clock of each of those lanes by change(clock).
    template <class F>
    void change(uint32_t mask, F&& change);

    std::array<ClockRef, 32> separate_; ///< each lane's own, while they do not
    mutable ClockRef whole_;            ///< the common clock, and what they know besides; nullptr: not asked for yet
    mutable std::array<uint32_t, 32> known_;
};

} // namespace sim::hazards
