// Which of a warp's instructions need the result of another one.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "sim/events/listener.h"
#include "sim/machine/exec.h"

namespace sim::timeline {

/// Follows a warp's registers. Between two instructions whose order ptxas keeps (branches, barriers, accesses of
/// memory), the others may be issued in any order that their operands allow.
class Chains {
  public:
    /// The instruction is about to be executed for x.mask. True: before it, the warp has to wait for its loads, because
    /// it branches and an instruction before has used a value. (Of the loads between two branches, ptxas issues all
    /// before the first use.)
    bool step(machine::Exec& x, const machine::Op& op);
    /// The warp has waited for its loads.
    void loaded() { loading_.clear(), used_ = false; }
    /// For how long a scheduler has issued them: a cycle for each whose results an SM computes 128 of in a cycle.
    uint64_t issue() const { return issue_; }
    /// A load or store of shared memory.
    void shared(const events::Access& access);
    /// Cycles in which shared memory serves the warp: 128 bytes in each, four from each bank.
    uint64_t wavefronts() const { return wavefronts_; }
    /// The length of the longest chain so far, each of whose instructions needs the result of the one before.
    uint64_t steps() const { return floor_; }

  private:
    struct Cost {
        uint8_t issue = 1;
        uint8_t steps = 1;    ///< until its result is there
        uint8_t holds = 0;    ///< until the warp issues what is behind it
        bool ordered = false; ///< ptxas keeps its place
        bool loads = false;
        bool branches = false;
    };
    Cost cost(const machine::Op& op);
    uint64_t ready(const std::byte* reg) const;

    uint64_t issue_ = 0, floor_ = 0, wavefronts_ = 0;
    std::unordered_map<const std::byte*, uint64_t> ready_; ///< by register: after how many steps it has its value
    std::unordered_set<const std::byte*> loading_;         ///< registers whose load has not been waited for
    bool used_ = false;                                    ///< one of those
    std::unordered_map<const machine::Op*, Cost> costs_;
};

} // namespace sim::timeline
