// The detector's state for each resident warp and block.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/diagnosis/history.h"
#include "sim/machine/block.h"
#include "sim/machine/warp.h"
#include "sim/ordering/atomics.h"
#include "sim/ordering/barrier_clocks.h"
#include "sim/ordering/map_order.h"
#include "sim/ordering/peer_accesses.h"
#include "sim/shadow/shadow.h"
#include "sim/shadow/tensor_shadow.h"

namespace sim::hazards {

struct WarpState {
    WarpClock clock;
    WarpHistory history;
    /// Released by the last tcgen05.fence::before_thread_sync, and seen by relaxed waits since the last ::after_...
    ClockRef tensor_fenced, tensor_seen;
    std::vector<uint64_t> tensor_moves; ///< tcgen05.ld and .st that it has not waited for: TensorUses
    uint32_t arrived_relaxed = 0;       ///< lanes that have arrived at the cluster barrier without a release

    static WarpState& of(machine::Warp& warp) { return *static_cast<WarpState*>(warp.detector); }
    static const WarpState& of(const machine::Warp& warp) { return *static_cast<const WarpState*>(warp.detector); }
};

/// A block's mbarriers in shared memory, and those that data was written over without mbarrier.inval.
struct BarrierMemory {
    struct Live {
        uint32_t offset;
        const events::Mbarrier* barrier;
    };
    struct Reused {
        uint32_t offset;
        Epoch by; ///< the store, or the copy
        uint32_t pc, init_pc;
        bool copy;
    };
    std::vector<Live> live;
    std::vector<Reused> reused;           ///< and no thread has used the mbarrier since
    uint32_t begin = UINT32_MAX, end = 0; ///< around all that there were

    bool near(uint64_t offset, uint64_t bytes) const { return offset < end && offset + bytes > begin; }
};

/// Waits for bulk groups by threads of a block that had none; of the first few such threads.
class IdleWaits {
  public:
    void add(uint32_t warp, size_t lane, uint32_t pc) {
        for (auto& one : waits_)
            if (one.warp == warp && one.lane == lane) {
                one.pc = pc;
                return;
            }
        if (waits_.size() < 4)
            waits_.push_back({warp, lane, pc});
    }
    /// The place of one by another thread than this; 0: there is none.
    uint32_t by_another(uint32_t warp, size_t lane) const {
        for (const auto& one : waits_)
            if (one.warp != warp || one.lane != lane)
                return one.pc;
        return 0;
    }

  private:
    struct Wait {
        uint32_t warp;
        size_t lane;
        uint32_t pc;
    };
    std::vector<Wait> waits_;
};

struct BlockState {
    uint64_t id = 0; ///< device-wide number
    SharedShadow shadow;
    std::unique_ptr<TensorShadow> tensor; ///< its columns of Tensor Memory; nullptr: not used yet
    BlockBarriers barriers;
    BarrierMemory barrier_memory;
    LocationClocks locations; ///< of shared memory, by offset
    PeerAccesses peers;       ///< to its shared memory
    std::vector<std::unique_ptr<WarpState>> warps;
    MapAcquires map_acquires;
    MapReleases map_releases; ///< of block scope
    /// Pairs of instructions at which warps have met at the barrier of the block: they released each other.
    std::vector<std::pair<uint32_t, uint32_t>> meetings;
    IdleWaits idle_bulk_waits;
    /// By block barrier: the only wait for a phase that threads executed before they met there; barrier 0: there was
    /// none, or they were several.
    std::array<PhaseWait, 16> waits_before{};

    static BlockState& of(machine::Block& block) { return *static_cast<BlockState*>(block.detector); }
};

/// The resident blocks, by device-wide number.
class Blocks {
  public:
    void begin(machine::Block& block, uint64_t number, const ClockRef& start);
    void end(machine::Block& block);
    /// Forgets the blocks whose numbers f() does not accept: they run elsewhere.
    template <class F>
    void keep_only(F&& f) {
        std::erase_if(resident_, [&](const auto& one) { return !f(one.first); });
    }
    /// nullptr: it is not resident.
    BlockState* find(uint64_t number) const;
    const WarpState* warp(uint64_t block, uint32_t number) const;
    /// The mbarrier with this events::Mbarrier::id; nullptr: there is none any more.
    const events::Mbarrier* mbarrier(uint32_t id) const;
    template <class F>
    bool any_of(F&& f) const {
        for (const auto& [number, block] : resident_)
            if (f(*block))
                return true;
        return false;
    }

  private:
    std::unordered_map<uint64_t, std::unique_ptr<BlockState>> resident_;
    std::vector<std::unique_ptr<BlockState>> spare_; ///< their shadow memory is used again
};

} // namespace sim::hazards
