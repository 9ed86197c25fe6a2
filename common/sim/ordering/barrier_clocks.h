// What barriers of a block or a cluster hand from those who arrive to those who are released, and what one phase of an
// mbarrier hands to its waiters.
#pragma once

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/events/copies.h"
#include "sim/ordering/epoch.h"
#include "sim/ordering/warp_clock.h"

namespace sim::hazards {

/// The block barriers of one block.
class BlockBarriers {
  public:
    /// A warp has arrived twice in one phase, by bar.arrive and bar.sync. That is right if the number of threads counts
    /// it twice; else, an arrival that does not know that the phase is over may as well belong to it.
    struct Twice {
        struct Arrived {
            uint32_t warp, lane, tick;
        };
        uint32_t id = 0, warp = 0, mask = 0;
        uint32_t first_pc = 0, second_pc = 0;
        std::vector<Arrived> phase; ///< all arrivals of that phase; empty: it is not complete
    };
    void arrives_twice(const Twice& one);
    /// One of those, if not all arrivals of its phase are ordered before the warp's next one; nullptr: there is none.
    const Twice* overtaken(uint32_t id, const WarpClock& warp, uint32_t lane) const;
    void arrive(WarpClock& warp, uint32_t mask, uint32_t id, uint32_t pc);
    /// `gone`: lanes of each warp that have ended; at a barrier of the whole block they count as arrived.
    void complete(uint32_t id, std::span<WarpClock* const> warps, std::span<const uint32_t> gone, bool whole_block);
    void release(WarpClock& warp, uint32_t mask, uint32_t id) { warp.acquire(mask, completed_[id], true); }
    /// Have all these lanes arrived since the last completion?
    bool have_arrived(uint32_t id, uint32_t warp, uint32_t mask) const { return (arrived_[id][warp] & mask) == mask; }
    /// Lanes that have arrived since the last completion, and the instruction of the last arrival.
    uint32_t arrived(uint32_t id, uint32_t warp) const { return arrived_[id][warp]; }
    uint32_t last_arrival(uint32_t id) const { return last_pc_[id]; }
    /// Where the warp has arrived last, if it has since the last completion.
    uint32_t arrived_at(uint32_t id, uint32_t warp) const { return pcs_[id][warp]; }
    /// Lanes that have arrived at it since the block began, and the instruction of one that did.
    uint32_t users(uint32_t id, uint32_t warp) const { return users_[id][warp]; }
    uint32_t used_at(uint32_t id) const { return last_pc_[id]; }
    bool any_arrived(uint32_t id) const {
        return std::any_of(arrived_[id].begin(), arrived_[id].end(), [](uint32_t lanes) { return lanes; });
    }

  private:
    std::array<ClockBuilder, 16> arriving_;
    std::array<ClockRef, 16> completed_;                 ///< holds what each arrival knew
    std::array<std::array<uint32_t, 32>, 16> arrived_{}; ///< by warp: lanes that have arrived since the last completion
    std::array<std::array<uint32_t, 32>, 16> users_{};
    std::array<uint32_t, 16> last_pc_{};
    std::array<std::array<uint32_t, 32>, 16> pcs_;   ///< by warp; of those that have arrived
    std::array<std::array<uint32_t, 32>, 16> ticks_; ///< of their clocks then
    std::vector<Twice> twice_;                       ///< at most one of each barrier
};

/// The barriers of the resident clusters.
class ClusterBarriers {
  public:
    void arrive(WarpClock& warp, uint32_t mask, uint64_t cluster, bool release);
    void complete(uint64_t cluster);
    void release(WarpClock& warp, uint32_t mask, uint64_t cluster) { warp.acquire(mask, clusters_[cluster].completed); }
    void clear() { clusters_.clear(); }

  private:
    struct Clocks {
        ClockBuilder arriving;
        ClockRef completed;
    };
    std::unordered_map<uint64_t, Clocks> clusters_;
};

/// The clocks of one mbarrier initialisation, kept with the mbarrier.
struct MbarrierClock : memory::Attachment {
    uint64_t block = 0;       ///< device-wide number of its owner
    uint32_t warps = 0;       ///< of that block
    bool overwritten = false; ///< with data: it is no mbarrier any more
    ClockBuilder arriving;
    ClockRef completed;
    WarpClock::Acquired acquired;   ///< by the last warp that waited
    NarrowArrivals arriving_narrow; ///< in the current phase
    /// in the phase before; nullptr: none, or wider arrivals covered as much
    std::shared_ptr<const NarrowArrivals> narrow;
    bool wide_arrival = false; ///< in the current phase, from another block and with a scope that includes this one
    uint32_t init_pc = 0;
    bool anew = false;   ///< initialised without an end of the one before
    uint32_t waited = 0; ///< phases up to the last one that a thread has waited for
    struct Arrived {
        uint64_t block;
        uint32_t warp, mask;
        bool by_copies; ///< cp.async.mbarrier.arrive
    };
    std::vector<Arrived> arrived, arrived_before; ///< in the current phase, and in the one before
    uint64_t issued_bytes = 0, issued_before = 0; ///< of bulk copies that complete here, by the phase of their issue
    struct Arriver {
        uint64_t block;
        uint32_t warp, mask, pc;
    };
    static constexpr size_t most_arrivers = 64;
    std::vector<Arriver> arrivers; ///< in any phase, by ordinary arrivals; the first few
    struct CountedIn {
        uint64_t block;
        uint32_t warp, mask, tick, pc;
    };
    std::vector<CountedIn> counted_in; ///< by cp.async.mbarrier.arrive without .noinc, in the current phase
    bool relaxed_arrival = false;      ///< in the current phase
    bool arrived_unwaited = false;     ///< an arrival came before any thread had waited for the phase before
    /// The last copy of each thread that completes here. A phase cannot complete without its copies, so a thread that
    /// has waited for it knows that they were issued, and that the issuer's earlier uses of the barrier are over.
    struct Issued {
        uint64_t block;
        uint32_t warp, lane, tick;
        Epoch copy;
    };
    std::vector<Issued> issued;
    /// Its last uses by each thread, whatever they were: mbarrier.inval must come after all of them.
    struct Use {
        Epoch epoch; ///< lane field zero
        uint32_t mask, pc;
    };
    std::vector<Use> uses;
    bool uses_divided = false; ///< of some warp there are several
    /// What is known of a warp at once, and has to be looked for otherwise.
    struct OfWarp {
        Epoch warp = 0;          ///< its block and number
        Use use{};               ///< its only one, later than the one in `uses`; mask 0: there may be others
        uint32_t use_at = 0;     ///< in `uses`
        uint32_t arriver_pc = 0; ///< these lanes are among the arrivers with this pc
        uint32_t arriver_mask = 0;
        bool after_init = false; ///< ordered after the initialisation
    };
    std::array<OfWarp, 32> of_warps{};
    OfWarp& of_warp(uint64_t by_block, uint32_t warp) {
        const Epoch which = make_epoch(EpochKind::none, by_block, warp, 0, 0);
        OfWarp& found = of_warps[warp ^ (by_block & 1) << 4];
        if (found.warp != which) {
            settle(found);
            found = {.warp = which};
        }
        return found;
    }
    /// `uses` holds its last use.
    void settle(OfWarp& its) {
        if (its.use.mask)
            uses[its.use_at] = std::exchange(its.use, {});
    }
    void settle_uses() {
        for (OfWarp& its : of_warps)
            settle(its);
    }

    /// Lanes `use.mask` of a warp use the barrier.
    void remember(const Use& use);
    void remember(uint64_t block, uint32_t warp, uint32_t mask, bool by_copies);
    void complete(const events::Mbarrier& barrier);
    void remember(const Issued& copy);
    void remember(const Arriver& arriver);
    /// Did lanes `mask` of the warp that `use` names use the barrier before a copy of theirs that ordered(copy)
    /// accepts?
    template <class F>
    bool used_before_copy(Epoch use, uint32_t mask, F&& ordered) const {
        for (const Issued& by : issued)
            if (by.block == block_of(use) && by.warp == warp_of(use) && (mask >> by.lane & 1) &&
                by.tick >= tick_of(use) && ordered(by.copy))
                return true;
        return false;
    }
};

} // namespace sim::hazards
