// An access that is not ordered with a bulk store: what was forgotten about its group.
#include "sim/hazards/conflict.h"

namespace sim::hazards {

bool Conflict::in_bulk_group(const AsyncOp& copy, const WarpState& thread) {
    const auto& wait = thread.bulk_waits[copy.lane];
    const bool waited = wait.pc && wait.issued >= copy.index;
    const std::string action = other_wrote
                                   ? fmt::format("{} bytes that a bulk copy was still writing", verb())
                                   : fmt::format("{} bytes that a bulk copy may still have been reading", verb());
    const bool waits_later = wait.pc && !(thread.block == ws.block && thread.warp == ws.warp && copy.lane == lane) &&
                             meant(x.pc(), wait.pc) && detector.unwaited(other_pc, x.pc());
    if (waits_later) // its wait comes too late for this access
        return false;
    if (!other_wrote && thread.bulk_read[copy.lane] >= copy.index) {
        name("missing-barrier-after-wait", fmt::format("{} bytes that another thread's bulk copy has read", verb()),
             "issued the bulk copy",
             "The thread that issued the copy has waited for it, but nothing orders that wait before this access.",
             "Put a barrier that both threads take part in between the wait and this access.");
        finding.others.push_back(detector.place(wait.pc, "the wait"));
        return true;
    }
    if (waited && thread.bulk_committed[copy.lane] < copy.index) {
        name("uncommitted-copy", action, "issued the bulk copy, and did not commit it before the wait",
             "A wait covers committed bulk groups only, and this copy was not committed before the wait.",
             "Execute cp.async.bulk.commit_group between the copy and the wait.");
        finding.others.push_back(detector.place(wait.pc, "the wait"));
        return true;
    }
    if (waited && thread.bulk_read[copy.lane] < copy.index) {
        name(other_wrote ? "read-before-completion" : "source-modified-in-flight", action, "issued the bulk copy",
             "The last wait leaves the bulk group of this copy pending: it waits for all but the most recent groups.",
             "Wait for all but fewer bulk groups here.");
        finding.others.push_back(detector.place(wait.pc, "the wait"));
        return true;
    }
    const auto& copies = thread.copy_waits[copy.lane];
    if (!waited && copies.pc && copies.issued >= copy.index) {
        name(
            "wrong-wait-mechanism", action, "issued the bulk copy",
            "The issuer waited for cp.async groups. Bulk copies have groups of their own: cp.async.wait_group does not "
            "wait for them.",
            "Use cp.async.bulk.commit_group and cp.async.bulk.wait_group.");
        finding.others.push_back(detector.place(copies.pc, "the wait for cp.async groups"));
        return true;
    }
    return false;
}

} // namespace sim::hazards
