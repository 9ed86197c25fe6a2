// An access that is not ordered with an asynchronous copy: what was forgotten.
#include <algorithm>

#include "sim/hazards/conflict.h"

namespace sim::hazards {

void Conflict::against_copy() {
    using R = Detector::Role;
    const WarpState* thread = issuer();
    const uint32_t by = lane_of(other), index = tick_of(other);
    const bool own = thread == &ws && by == lane;
    uint32_t groups = 0;
    const uint32_t group = thread ? group_of(*thread, by, index, groups) : 0;
    const std::string issued =
        group ? fmt::format("the copy was issued here, as group {} of {}", group, own ? "this thread" : "each thread")
              : "the copy was issued here, and not committed";
    const char* what = role == R::load ? "read" : role == R::store || role == R::atomic ? "write" : "copy";
    if (thread && thread->copies_done[by] >= index) {
        name("missing-barrier-after-wait", fmt::format("{} bytes that another thread's copy has written", what), issued,
             "The thread that issued the copy has waited for it, but nothing orders that wait before this access: a "
             "wait "
             "covers the copies of the waiting thread only.",
             "Put __syncthreads() (or a barrier that both threads take part in) between the wait and this access.");
        return;
    }
    if (role == R::store || role == R::atomic) {
        name("write-before-completion", "write bytes that an asynchronous copy is still writing", issued,
             "Until the copy is complete its destination must be neither read nor written.");
        return;
    }
    if (role == R::copy_destination || role == R::async_write) {
        name("overlapping-copies", "copy into bytes that another asynchronous copy is still writing", issued,
             "Copies are not ordered among each other before a completed wait: which bytes remain is undefined.");
        return;
    }
    const WaitEvent* wait = thread ? &thread->last_wait[by] : nullptr;
    if (!wait || wait->pc == 0 || wait->issued < index) {
        name("missing-wait", fmt::format("{} bytes that an asynchronous copy is still writing", what), issued,
             own ? "This thread has not waited since it issued the copy. __syncthreads() does not complete copies."
                 : "The thread that issued the copy has not waited for it. __syncthreads() does not complete copies.");
        return;
    }
    Place waited =
        detector.place(wait->pc, fmt::format("the last wait, for all but the {} most recent groups", wait->n));
    if (!group || [&] { // committed only after the wait
            uint32_t upto = 0;
            for (const auto& commit : thread->commits)
                if ((commit.mask >> by & 1) && commit.upto <= wait->issued)
                    upto = std::max(upto, commit.upto);
            return upto < index;
        }()) {
        name("uncommitted-copy", fmt::format("{} bytes that an asynchronous copy is still writing", what), issued,
             "A wait covers committed groups only, and this copy was not committed before the wait.",
             "Commit (__pipeline_commit(), cp.async.commit_group) between the copy and the wait.");
        finding.others.push_back(std::move(waited));
        return;
    }
    const uint32_t newer = groups - group;
    std::string message = fmt::format(
        "Waiting for all but the {} most recent group{} leaves group {} pending: {}.", wait->n, wait->n == 1 ? "" : "s",
        group,
        newer == 0 ? "nothing newer was committed, it is the most recent one"
                   : fmt::format("only {} newer group{} been committed", newer, newer == 1 ? " has" : "s have"));
    name("read-before-completion", fmt::format("{} bytes that an asynchronous copy is still writing", what), issued,
         message,
         fmt::format("Wait for all but {} here, or keep committing (empty) groups so that {} newer ones follow.", newer,
                     wait->n));
    finding.others.push_back(std::move(waited));
}

void Conflict::against_copy_source() {
    name("source-modified-in-flight", "write bytes that an asynchronous copy may still be reading",
         "the copy was issued here", "The source of a copy must not change before the copy is complete.",
         "Wait for the copy first (and synchronise, if another thread issued it).");
}

void Conflict::against_async() {
    const auto number = number_of(other);
    const AsyncOp& op = detector.async_ops_[number - detector.first_async_];
    using R = Detector::Role;
    if (!other_wrote) {
        name("source-modified-in-flight", "write bytes that a bulk copy may still be reading",
             "the bulk copy was issued here", "The source of a copy must not change before the copy has read it.");
        return;
    }
    if (role == R::copy_destination || role == R::async_write) {
        name("overlapping-copies", "copy into bytes that a bulk copy is still writing", "the bulk copy was issued here",
             "The earlier copy is complete for this thread only after it has waited on the copy's mbarrier phase.");
        return;
    }
    const bool store = role == R::store || role == R::atomic;
    name(store ? "write-before-completion" : "missing-wait",
         fmt::format("{} bytes that a bulk copy is still writing", store ? "write" : "read"),
         "the bulk copy was issued here",
         op.landed ? fmt::format("The copy completes phase {} of its mbarrier, and this thread is not ordered after a "
                                 "successful wait for that phase.",
                                 op.phase)
                   : "The copy completes on an mbarrier, and that phase is not complete.");
}

} // namespace sim::hazards
