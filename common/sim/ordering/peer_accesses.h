// What threads of other blocks of the cluster did last to one block's shared memory. All of it has to come before the
// block ends: then its shared memory may belong to another block.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "sim/ordering/warp_clock.h"

namespace sim::hazards {

class PeerAccesses {
  public:
    enum class What : uint8_t { read, write, atomic, arrival };
    /// One instruction of one warp.
    struct Access {
        uint64_t block; ///< device-wide number of the accessing warp's block
        uint32_t warp, mask, pc;
        What what;
        bool relaxed = false; ///< a cluster barrier came after it, but its warp's arrival there was relaxed
    };

    bool empty() const { return warps_.empty() && arrivals_.empty(); }
    void access(const WarpClock& by, uint32_t mask, uint32_t pc, What what);
    /// An arrival on an mbarrier of the block, in this phase.
    void arrival(const WarpClock& by, uint32_t mask, uint32_t pc, uint32_t barrier, uint32_t phase);
    /// A thread of the block has waited for all phases of the mbarrier before `phase`.
    void waited(uint32_t barrier, uint32_t phase);
    /// What lanes `mask` of that warp have done so far comes before the end of the block in any case.
    void settle(uint64_t block, uint32_t warp, uint32_t mask);
    /// That warp has passed a cluster barrier, but arrived there without a release: its reads are over.
    void pass_relaxed(uint64_t block, uint32_t warp, uint32_t mask);
    /// The accesses that a thread which knows `known` is not ordered after.
    std::vector<Access> unordered(const ClockRef& known) const;

  private:
    struct Last {
        uint32_t tick, pc;
        What what;
    };
    struct FromWarp {
        uint32_t mask = 0;    ///< lanes with an access
        uint32_t relaxed = 0; ///< of these: Access::relaxed
        std::array<Last, 32> last;
    };
    struct Arrival {
        uint64_t block;
        uint32_t warp, mask, pc, tick;
        uint32_t barrier, phase;
        uint32_t relaxed = 0; ///< lanes: Access::relaxed
    };
    static uint64_t key(uint64_t block, uint32_t warp) { return block << 5 | warp; }

    std::unordered_map<uint64_t, FromWarp> warps_;
    std::vector<Arrival> arrivals_; ///< each lane's last one on each mbarrier
};

} // namespace sim::hazards
