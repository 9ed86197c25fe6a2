// Makes a run follow a given order of barrier operations.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace sim::machine {
class Block;
class Warp;
} // namespace sim::machine

namespace sim::events {

/// An order of the barrier operations of one cluster.
struct ReplayedOrder {
    struct Turn {
        uint64_t block; ///< in the grid
        uint32_t warp, pc;
        bool held = false;                ///< what it begins lands only at a turn of its own
        uint32_t landing_of = UINT32_MAX; ///< no operation, but the landing of what this turn has begun
    };
    uint64_t launch = 0; ///< %gridid
    std::vector<Turn> turns;
};

class Conductor {
  public:
    virtual ~Conductor() = default;
    /// May these lanes execute the barrier instruction at `pc` now?
    virtual bool may_run(const machine::Warp& warp, uint32_t pc) = 0;
    /// Does the operation of this number (BarrierLog::add) land only when lands() says so?
    virtual bool holds(uint64_t issued) const = 0;
    /// The operation of this block that has to land now.
    virtual std::optional<uint64_t> lands(const machine::Block& block) = 0;
};

} // namespace sim::events
