// Records the barrier operations of each cluster of a launch.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "sim/events/barrier_log.h"
#include "sim/protocol/record.h"

namespace sim::machine {
class Grid;
}

namespace sim::protocol {

class Recorder final : public events::BarrierLog {
  public:
    /// Receives each cluster when its last block has ended.
    using Take = std::function<void(const Record&, machine::Grid&)>;
    explicit Recorder(Take take) : take_(std::move(take)) {}

    uint64_t add(machine::Warp& warp, uint32_t mask, const events::BarrierOperation& operation) override;
    void landed(machine::Block& issuer, uint64_t issued, const events::BarrierOperation& operation) override;
    void named(machine::Block& block, uint32_t object, uint32_t offset) override;
    void strong(machine::Warp& warp, uint32_t mask, std::span<std::byte* const, 32> at, bool reads, bool writes,
                bool global, uint32_t pc) override;
    void warpgroup(machine::Warp& first, uint32_t pc) override;
    void ended(machine::Block& block, bool normal) override;
    /// The blocks of the grid that have not ended go on elsewhere.
    void forget(const machine::Grid& grid);
    /// Has one whose barriers are explored made a strong access to global memory? Then others may answer it.
    bool others_matter() const { return others_matter_; }

  private:
    struct Cluster {
        Record record;
        machine::Grid* grid = nullptr;
        size_t running = 0;   ///< blocks that have not ended
        bool notable = false; ///< it has another barrier than that of the whole block
        size_t strong_accesses = 0;
        std::vector<uint8_t> met;                        ///< by warp: it has done nothing since its warpgroup met
        std::unordered_map<uint32_t, uint32_t> meetings; ///< of a warpgroup, by object
        std::vector<std::array<uint32_t, 32>> last;      ///< by warp and lane: its last operation
        std::vector<uint32_t> apart; ///< by warp: its lanes have done different things since they last met
        bool normal = true;
        std::unordered_map<uint64_t, uint32_t> objects; ///< by type, block and number; mbarriers by id
        struct Last {
            uint32_t operation;
            bool read;
        };
        std::unordered_map<const std::byte*, Last> strong; ///< the last access at an address
        std::unordered_map<uint64_t, uint32_t> sent;       ///< each warp's last strong write to global memory
        /// Unsuccessful waits that have not succeeded since: warp and barrier, with the lanes.
        std::unordered_map<uint64_t, uint32_t> unanswered;
    };
    Cluster& of(machine::Block& block);
    uint32_t push(Cluster& cluster, Operation operation);
    static void join_lanes(Cluster& cluster, Operation& wait);
    static uint32_t object(Cluster& cluster, Object object, uint64_t key);

    Take take_;
    bool others_matter_ = false;
    size_t kept_ = 0; ///< operations of all clusters
    std::unordered_map<const machine::Block*, std::shared_ptr<Cluster>> clusters_;
    const machine::Block* last_block_ = nullptr;
    Cluster* last_ = nullptr;
    /// Who wrote to an address of global memory last.
    std::unordered_map<const std::byte*, const Cluster*> writers_;
};

} // namespace sim::protocol
