// Two accesses are not ordered: everything that a rule may want to know about the two.
#pragma once

#include <fmt/format.h>

#include "sim/hazards/detector.h"

namespace sim::hazards {

/// "The thread waited for phase 2 (parity 0) of the mbarrier, but what it reads arrives in phase 3 (parity 1)."
std::string asked_for(const BarrierWait& wait, uint32_t meant);
/// What to do about it, where the rule's own remedy (what mbarrier.init counts) would mislead.
std::string to_ask_for(const BarrierWait& wait);

struct Conflict {
    Detector& detector;
    Exec& x;
    WarpState& ws;
    uint32_t lane;
    Detector::Role role;
    Epoch other;
    uint32_t other_pc;
    bool other_wrote;
    ptx::Space space;
    Finding finding{};

    bool writes() const {
        using R = Detector::Role;
        return role == R::store || role == R::copy_destination || role == R::async_write || role == R::atomic;
    }
    const char* verb() const { ///< what this access did
        using R = Detector::Role;
        return role == R::load || role == R::async_read ? "read"
               : role == R::store || role == R::atomic  ? "wrote"
               : role == R::copy_source                 ? "copied"
                                                        : "copied into";
    }
    const char* memory() const { return space == ptx::Space::shared ? "shared" : "global"; }
    void name(const char* rule, std::string first_action, std::string other_action, std::string message,
              std::string remedy = {}) {
        finding.rule = find_rule(rule);
        finding.first = detector.place(x.pc(), std::move(first_action));
        finding.first.threads.add(x.block.linear, x.warp.id * 32, 1u << lane);
        if (other || other_pc)
            finding.others.push_back(detector.place(other, other_pc, std::move(other_action)));
        finding.message = std::move(message);
        finding.remedy = std::move(remedy);
    }
    const WarpState* issuer() const {
        auto it = detector.blocks_.find(block_of(other));
        return it == detector.blocks_.end() ? nullptr : it->second->warps[warp_of(other)].get();
    }
    /// The group (from 1) that a copy of `thread` with this index belongs to; 0: not committed. Counts all groups, too.
    static uint32_t group_of(const WarpState& thread, uint32_t of_lane, uint32_t index, uint32_t& groups) {
        uint32_t group = 0;
        groups = 0;
        for (const auto& commit : thread.commits)
            if (commit.mask >> of_lane & 1) {
                ++groups;
                if (!group && commit.upto >= index)
                    group = groups;
            }
        return group;
    }

    /// The same, where the other access is the one that went wrong.
    void name_reversed(const char* rule, std::string other_action, std::string this_action, std::string message,
                       std::string remedy = {});
    /// Does the program mean the instruction at `first` to come before the one at `second`?
    bool meant(uint32_t first, uint32_t second) const;
    bool same_line() const; ///< both accesses
    uint32_t kernel_line(uint32_t pc) const;
    /// Is the issue of the copy that `other` names known to this thread?
    bool issue_known(const WarpState& thread, uint32_t by, uint32_t index) const;
    void undefined();
    static void name_early_read(Finding& finding, Detector::Role writer, const WarpState* reader, uint32_t reader_lane,
                                ptx::Space space);
    bool overrun(const WarpState* producer, uint32_t by, uint32_t written_in, uint32_t pc, std::string what);
    void against_copy();
    bool on_mbarrier(const WarpState& thread, uint32_t by, uint32_t index, const std::string& action,
                     const std::string& copy);
    bool early_phase();
    void against_copy_source();
    void against_async();
    void waited_by_another(uint32_t pc);
    void written_late(const AsyncOp& op);
    bool in_bulk_group(const AsyncOp& copy, const WarpState& thread);
    bool narrow_scope();
    const char* read_first_remedy() const;
    void proxy_fence_rule(const char* action);
    bool fence_without_barrier();
    void ordinary();
    bool excused();
};

} // namespace sim::hazards
