// Loads that are reported later, or never: the value of a racing load may not matter, bytes may be written for the
// first time only after they were read, and the compiler moves loads in front of their condition.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "sim/diagnosis/conflict.h"
#include "sim/report/findings.h"

namespace sim::hazards {

class HeldLoads : public Speculation {
  public:
    HeldLoads(const Context& context, Findings& findings) : context_(context), findings_(findings) {}

    void launch_begin();
    void launch_end();
    /// `alone`: no other block can access its shared memory.
    void block_end(uint64_t block, bool alone);
    /// How many loads of this launch may still be reported when their block has ended, or have been: those of global
    /// memory that nothing had written.
    uint64_t suspects() const { return suspects_; }

    /// Keeps a load's finding until its value is used. Returns its number.
    uint32_t hold(Finding finding);
    /// Holds a load of bytes that no write has reached. `by_phase`: it followed a wait on an mbarrier. `explain` runs
    /// only if the value is used or a later write races.
    using Explain = std::function<std::optional<Finding>()>;
    uint32_t hold_early(const WarpClock& warp, uint32_t lane, uint32_t pc, Spot spot, bool by_phase, Explain explain);
    /// A load whose value may be dropped.
    uint32_t hold_speculated(const WarpClock& warp, uint32_t lane, uint32_t pc, ptx::Space space);
    bool may_be_dropped(Epoch reader, uint32_t pc) const override;
    void used(uint32_t number);
    /// No thread can make progress, so no more values will be used. Loads after a wait that returned at once are still
    /// reported, because the fault began there.
    void stopped();

    /// A write comes after a read that is not ordered before it: is that read one of these? Then it is dealt with here.
    /// `here`: the write's place, with its thread.
    bool settle(const WarpState& warp, uint32_t pc, const Unordered& write, const Place& here);

  private:
    struct Load {
        Finding finding;    ///< no rule: nothing yet
        Explain explain{};  ///< makes the finding; empty: it has been made, or its block has ended
        uint64_t block = 0; ///< device-wide number
        Epoch thread = 0;   ///< fields of an epoch
        uint32_t pc = 0;
        ptx::Space space = ptx::Space::shared;
        bool early = false; ///< the write may still come; report at block exit
        bool by_phase = false;
        bool used = false;
        bool settled = false;     ///< reported, or known to be nothing
        uint32_t reported_by = 0; ///< the load that reports the same line
    };
    using Key = std::pair<Epoch, uint32_t>; ///< thread (an epoch's fields) and pc
    struct Hash {
        size_t operator()(const Key& key) const { return (key.first ^ key.second) * 0x9e3779b97f4a7c15; }
    };
    Load& slot(const WarpClock& warp, uint32_t lane, uint32_t pc, ptx::Space space, bool early, uint32_t& number);
    void forget_speculated(uint32_t number, bool alone);
    static void complete(Load& load); ///< with its finding
    void settle_early(uint32_t number, const Conflict& write, const Place& here);
    bool by_warp_of(const Finding& finding, const Load& load) const;
    void report_unwritten(Load& load);

    const Context& context_;
    Findings& findings_;
    uint64_t suspects_ = 0;
    std::vector<Load> loads_;    ///< by number, from 1
    std::vector<uint32_t> free_; ///< numbers of forgotten loads
    uint32_t dropped_ = 0;       ///< stands for all speculated loads of blocks that have ended without their value
    std::map<std::tuple<const Rule*, uint32_t, uint32_t>, uint64_t> first_; ///< rule and two lines -> Finding::number
    std::unordered_map<Key, uint32_t, Hash> early_;                         ///< -> number
    std::unordered_map<Epoch, std::vector<uint32_t>> of_thread_;            ///< loads that are `early`, by thread
    std::unordered_map<uint64_t, std::vector<uint32_t>> of_block_;          ///< loads that have a slot, by block
};

} // namespace sim::hazards
