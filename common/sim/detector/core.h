// Shared parts of the detector's trackers.
#pragma once

#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "sim/detector/held_loads.h"
#include "sim/detector/reductions.h"
#include "sim/machine/exec.h"
#include "sim/memory/global_memory.h"
#include "sim/shadow/readers.h"

namespace sim::hazards {

using machine::Block;
using machine::Exec;
using machine::Warp;

/// Only cudaMalloc leaves memory undefined; memory that kernels can only read is not watched.
inline bool watched(const memory::Allocation* allocation) {
    return allocation && allocation->kind != memory::AllocationKind::parameters &&
           allocation->kind != memory::AllocationKind::constant;
}

/// The pc of the instruction that the warp executes.
inline uint32_t pc_of(const Warp& warp) {
    const auto& fragment = warp.fragments[warp.current];
    return fragment.frame->function->first_pc + fragment.pc;
}
inline const machine::Op& op_of(const Warp& warp) {
    const auto& fragment = warp.fragments[warp.current];
    return fragment.frame->function->ops[fragment.pc];
}

struct Core {
    Core(memory::GlobalMemory& of_device, Places::FunctionAt function_at)
        : memory(of_device), places(std::move(function_at), ordering.operations, ordering.bulk),
          intent(places), context{ordering, blocks, places, intent, barriers, grid}, findings(places),
          held(context, findings) {
        ordering.speculation = &held;
    }

    memory::GlobalMemory& memory;
    Ordering ordering;
    Atomics atomics{ordering.operations};
    Blocks blocks;
    Places places;
    Intent intent;
    BarrierNames barriers;
    const machine::Grid* grid = nullptr; ///< that runs
    /// Its threads have made strong accesses to global memory that are no Reductions, or what orders others there.
    bool communicates = false;
    Reductions reductions;
    Context context;
    Findings findings;
    HeldLoads held;
    bool numbers_ran_out = false, ticks_ran_out = false; ///< see Detector::gaps()
    ClockRef nothing = ClockBuilder().take();            ///< the clock of a thread that is ordered after nothing

    GlobalShadow& shadow(memory::Allocation& allocation);

    /// The place of the executing instruction, with these lanes.
    Place here(Exec& x, uint32_t mask, std::string action = {}) const;
    /// True at the first finding about a pair of instructions, or about another subject that is reported once per
    /// launch.
    bool first_time(uint32_t pc, uint32_t other_pc) { return said_once_.insert(uint64_t{pc} << 32 | other_pc).second; }
    bool said(uint32_t pc, uint32_t other_pc) const { return said_once_.contains(uint64_t{pc} << 32 | other_pc); }
    /// True once this pc pair has reached its report limit.
    bool said_enough(uint32_t pc, uint32_t other_pc);

    /// Explains two accesses that nothing orders, the later one by `warp` at `pc`.
    std::optional<Finding> explain(const Warp& warp, uint32_t pc, const Unordered& accesses);
    std::optional<Finding> explain(Exec& x, const Unordered& accesses) { return explain(x.warp, x.pc(), accesses); }
    /// For accesses that are reported at once: is the cell's last write ordered? Reports if not.
    void check_read(Exec& x, uint32_t lane, const Cell& cell, Role role, Proxy proxy, Spot spot);
    /// Are the cell's last write and its reads ordered?
    void check_write(Exec& x, uint32_t lane, const Cell& cell, const ReadSets& sets, Role role, Proxy proxy, Spot spot);

    /// Reports a use of memory, `by` an operation, before it exists in stream order, or after that.
    void check_lifetime(const memory::Allocation& allocation, std::string by, Place here);

    /// Is it an access of system scope, which does not race with the host's?
    bool may_signal_host(uint32_t pc) const;

    void launch_begin(); ///< of the first launch, when none runs

  private:
    std::unordered_set<uint64_t> outside_lifetime_; ///< operations that are known to be, and addresses
    /// True once these two threads have said enough of the lines of a pc pair.
    bool said_enough_of_lines(uint32_t pc, uint32_t other_pc, uint64_t thread, Epoch other);

    std::unordered_map<uint64_t, uint32_t> said_;                                       ///< by pair of pcs: how often
    std::map<std::tuple<uint32_t, uint32_t, uint64_t, Epoch>, uint32_t> said_of_lines_; ///< by lines and threads
    std::unordered_map<uint32_t, uint32_t> lines_;                                      ///< of pcs
    std::unordered_set<uint64_t> said_once_;
};

} // namespace sim::hazards
