// The last waits, commits, arrivals and fences of a warp's lanes. It decides nothing about order; a report quotes it to
// show what was forgotten.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/events/copies.h"

namespace sim::hazards {

using events::Lanes;

/// A wait for cp.async groups as the thread last executed it.
struct GroupWait {
    uint32_t pc = 0;      ///< 0: none
    uint32_t n = 0;       ///< cp.async.wait_group N
    uint32_t issued = 0;  ///< copies the warp had issued by then
    uint32_t commits = 0; ///< commits that the warp had executed by then
    uint32_t bulk = 0;    ///< bulk stores that the warp had issued by then
};

/// A wait for bulk async-groups.
struct BulkWait {
    uint32_t pc = 0;     ///< 0: none
    uint32_t issued = 0; ///< bulk stores that the warp had issued by then
};

/// A successful wait on an mbarrier. Aligned, since 32 lanes write theirs at a time.
struct alignas(16) PhaseWait {
    uint32_t barrier = 0; ///< events::Mbarrier::id; 0: none since the last block barrier
    uint32_t phase = 0, pc = 0;
    uint16_t again : 1 = 0;   ///< the thread had waited for this phase before
    uint16_t relaxed : 1 = 0; ///< the wait acquires nothing
    uint16_t through = 0;     ///< the number, plus one, of the warp that has waited: the thread met it at a barrier
    /// Before its first phase is over, a barrier lets a wait for parity 1 return at once.
    bool before_first() const { return phase == UINT32_MAX; }
};

/// An arrival of some lanes on an mbarrier.
struct Arrival {
    uint32_t mask = 0, barrier = 0, phase = 0, pc = 0, tick = 0;
    uint32_t copies = 0; ///< cp.async issued by then
    bool tracks = false; ///< cp.async.mbarrier.arrive
};

struct WarpHistory {
    // cp.async
    struct Commit {
        uint32_t upto; ///< copies issued by then
        uint32_t mask;
        uint32_t tick;
    };
    std::vector<Commit> commits;
    uint32_t commits_dropped = 0; ///< number of older commits that have been forgotten
    std::array<GroupWait, 32> group_waits{};
    uint32_t copies_issued = 0, copies_at_barrier = 0; ///< now; when it last left a block barrier
    uint64_t last_copy_at = 0;                         ///< warp instructions executed before the last cp.async
    uint32_t wait_count = 0, waits_at_once = 0;        ///< for the note no-overlap
    void remember(const Commit& commit);
    /// The group (from 1) that a copy with this index belongs to; 0: not committed. Counts all groups, too.
    uint32_t group_of(uint32_t lane, uint32_t index, uint32_t& groups) const;

    // Bulk stores and tile loads
    Lanes bulk_committed{}; ///< of the thread, in committed groups
    std::array<BulkWait, 32> bulk_waits{};
    uint32_t bulk_issued = 0;
    uint32_t last_bulk_wait_pc = 0, last_bulk_wait_copies = 0; ///< cp.async issued by then

    // wgmma
    struct {
        uint32_t pc = 0; ///< of the last wgmma.wait_group; 0: none
        uint32_t n = 0, issued = 0, committed = 0;
    } matrix_wait; ///< the operations of the warpgroup by then

    /// Where the four warps of a warpgroup, whose first one this is, have met at a wgmma.mma_async: their clocks.
    struct Meeting {
        std::array<uint32_t, 4> ticks{};
    };
    void remember(const Meeting& meeting);
    /// f(meeting) for the most recent ones; was it true for one?
    template <class F>
    bool any_meeting(F&& f) const {
        return std::any_of(meetings_.begin(), meetings_.begin() + std::min<size_t>(meeting_count_, meetings_.size()),
                           f);
    }

    // Barriers and fences
    /// The last barrier that the warp has passed, if it does not count the whole block.
    struct NamedBarrier {
        uint32_t pc = 0, id = 0;
        uint32_t expected = 0; ///< threads; 0: there is none
        uint64_t turn = 0;
    };
    NamedBarrier named;
    Lanes arrived_only{};          ///< by named barrier: `synchronisations` + 1 when bar.arrive was executed there
    uint32_t synchronisations = 0; ///< block barriers and mbarrier phases waited for
    uint32_t proxy_fence_pc = 0, proxy_fence_sync = 0; ///< the last proxy fence, and `synchronisations` then
    Lanes rendezvous_tick{}, rendezvous_mask{};        ///< shfl, vote, match …
    std::array<PhaseWait, 32> phase_waits{};
    bool phases_waited = false; ///< since the last block barrier
    void remember(const Arrival& arrival);
    /// Remembers that `mask` has waited for a phase. Returns those of `mask` that had done so before.
    uint32_t passed(uint32_t mask, uint32_t barrier, uint32_t phase);
    /// The last phase of `barrier` that some of `mask` have waited for; UINT32_MAX: none.
    uint32_t last_passed(uint32_t mask, uint32_t barrier) const;
    /// Have some of `mask` executed a successful wait on `barrier`?
    bool has_passed(uint32_t mask, uint32_t barrier) const;
    /// The first remembered arrival of a lane that f() accepts; nullptr: there is none.
    template <class F>
    const Arrival* arrival(uint32_t lane, F&& f) const {
        const auto size = uint32_t(arrivals_.size());
        for (uint32_t i = arrival_count_ < size ? 0 : arrival_count_ - size; i < arrival_count_; ++i)
            if (const auto& a = arrivals_[i % size]; (a.mask >> lane & 1) && f(a))
                return &a;
        return nullptr;
    }

  private:
    std::array<Meeting, 16> meetings_{}; ///< a ring: the most recent ones
    uint32_t meeting_count_ = 0;
    std::array<Arrival, 16> arrivals_{}; ///< a ring: the most recent ones
    uint32_t arrival_count_ = 0;
    struct Passed { ///< a ring: phases that have been waited for
        std::array<uint32_t, 16> mask{}, barrier{}, phase{};
    };
    Passed passed_;
    uint32_t passed_count_ = 0;
};

} // namespace sim::hazards
