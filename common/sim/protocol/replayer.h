// Lets the barrier operations of one cluster run in a given order.
#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "sim/events/barrier_log.h"
#include "sim/events/conductor.h"

namespace sim::protocol {

class Replayer final : public events::BarrierLog, public events::Conductor {
  public:
    explicit Replayer(std::shared_ptr<const events::ReplayedOrder> order);

    uint64_t add(machine::Warp& warp, uint32_t mask, const events::BarrierOperation& operation) override;
    void landed(machine::Block&, uint64_t, const events::BarrierOperation&) override {}
    void named(machine::Block&, uint32_t, uint32_t) override {}
    void strong(machine::Warp&, uint32_t, std::span<std::byte* const, 32>, bool, bool, bool, uint32_t) override {}
    void warpgroup(machine::Warp&, uint32_t) override {}
    void ended(machine::Block&, bool) override {}

    bool may_run(const machine::Warp& warp, uint32_t pc) override;
    bool holds(uint64_t issued) const override { return held_.contains(issued); }
    std::optional<uint64_t> lands(const machine::Block& block) override;

  private:
    /// What is left of the order of one warp.
    struct Left {
        std::unordered_map<uint32_t, uint32_t> times; ///< by pc
    };
    static uint64_t key(uint64_t block, uint32_t warp) { return block << 8 | warp; }
    void skip_taken();

    std::shared_ptr<const events::ReplayedOrder> order_;
    std::vector<uint8_t> taken_;   ///< by turn
    std::vector<uint64_t> issued_; ///< by turn: the number of its operation
    size_t next_ = 0;
    std::unordered_map<uint64_t, Left> left_;
    std::unordered_set<uint64_t> held_;
    uint64_t number_ = 0;
};

} // namespace sim::protocol
