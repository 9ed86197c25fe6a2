// The protocol check: what could go wrong at the barriers of a launch in another order than that of its run.
#pragma once

#include <chrono>
#include <unordered_set>

#include "sim/events/divisible.h"
#include "sim/protocol/explorer.h"
#include "sim/protocol/recorder.h"
#include "sim/protocol/summary.h"

namespace sim::hazards {
class Detector;
}

namespace sim::protocol {

class Check final : public events::Divisible {
  public:
    explicit Check(hazards::Detector& detector) : detector_(detector) {}

    events::BarrierLog& log() { return recorder_; }
    const Summary& summary() const { return summary_; }

    // events::Divisible: a part may only add operations of which every order has been explored, without a search.
    bool may_divide(const machine::Grid&) const override { return true; }
    void begin_part(machine::Grid&, const std::vector<bool>& blocks) override;
    bool independent(const machine::Grid&) override;
    void pack_part(const machine::Grid&, events::Packer& to) const override;
    bool fit(const machine::Grid&, std::span<const std::string_view>) const override { return true; }
    void join_part(machine::Grid&, std::string_view part) override;
    void all_joined(machine::Grid& grid) override { recorder_.forget(grid); }

  private:
    void examine(const Record& record, machine::Grid& grid);
    void explore_orders(const Record& record, const Actors& actors, const machine::Grid& grid,
                        std::chrono::steady_clock::time_point until);
    void report(const Record& record, const Explored& explored, const std::vector<uint8_t>& irregular,
                const machine::Grid& grid);
    void not_all(std::string why);

    hazards::Detector& detector_;
    Recorder recorder_{[this](const Record& record, machine::Grid& grid) { examine(record, grid); }};
    Summary summary_;
    std::unordered_set<uint64_t> known_; ///< clusters that have been examined
    std::chrono::duration<double> spent_{};
    Summary before_; ///< what it was when the part began
};

} // namespace sim::protocol
