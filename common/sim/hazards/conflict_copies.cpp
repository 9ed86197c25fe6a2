// An access that is not ordered with an asynchronous copy: what was forgotten.
#include <algorithm>

#include "sim/hazards/conflict.h"

namespace sim::hazards {
namespace {

std::string issued(uint32_t group, bool own) {
    return group ? fmt::format("issued the copy, in group {} of {}", group, own ? "the thread" : "each thread")
                 : "issued the copy";
}

} // namespace

void Conflict::against_copy() {
    using R = Detector::Role;
    const WarpState* thread = issuer();
    const uint32_t by = lane_of(other), index = tick_of(other);
    const bool own = thread == &ws && by == lane;
    uint32_t groups = 0;
    const uint32_t group = thread ? group_of(*thread, by, index, groups) : 0;
    const std::string copy = issued(group, own);
    const std::string action = fmt::format("{} bytes that an asynchronous copy was still writing", verb());
    if ((role == R::async_read || role == R::async_write) && detector.ordered(ws, lane, other)) {
        proxy_fence_rule(role == R::async_read ? "read through the async proxy what cp.async wrote (generic proxy)"
                                               : "wrote through the async proxy what cp.async wrote (generic proxy)");
        return;
    }
    const WaitEvent* wait = thread ? &thread->last_wait[by] : nullptr;
    // In a loop, the copy may be the next round's, which has come too soon.
    if (role == R::load && !own && thread && !issue_known(*thread, by, index) && meant(x.pc(), other_pc)) {
        name_reversed(
            "refill-while-read", "copied into a buffer that may still have been in use", "read it",
            "Nothing orders that read before this copy: the thread that copies has gone on to its next round.",
            "Let every reader reach a barrier after its last read and before the copy is issued.");
        return;
    }
    const bool waits_later = wait && wait->pc && !own && meant(x.pc(), wait->pc) && detector.unwaited(other_pc, x.pc());
    const bool complete = thread && thread->copies_done[by] >= index;
    if (complete && role == R::copy_destination) {
        name("overlapping-copies", "copied into bytes that another thread's copy has written", copy,
             "The other thread has waited for its copy, but nothing orders that wait before this one: which bytes "
             "remain is undefined.",
             "Let one thread copy each byte; or put __syncthreads() between the other thread's wait and this copy.");
        return;
    }
    if (complete && !waits_later) {
        name("missing-barrier-after-wait", fmt::format("{} bytes that another thread's copy has written", verb()), copy,
             "The thread that issued the copy has waited for it, but nothing orders that wait before this access: a "
             "wait covers the copies of the waiting thread only.",
             "Put __syncthreads() (or a barrier that both threads take part in) between the wait and this access.");
        return;
    }
    if (role == R::store || role == R::atomic) {
        name("write-before-completion", action, copy,
             "Until the copy is complete its destination must be neither read nor written.");
        return;
    }
    if (role == R::copy_destination || role == R::async_write) {
        const BarrierArrival* tracked =
            thread ? thread->arrival(by, [&](const BarrierArrival& a) { return a.tracks && a.copies >= index; })
                   : nullptr;
        if (tracked)
            name("overlapping-copies", action, copy,
                 fmt::format(
                     "The earlier copy belongs to phase {} of an mbarrier, and nothing tells this thread that it "
                     "is over, nor that its bytes have been read: the producer overruns its consumer.",
                     tracked->phase),
                 "Wait for the consumers (the barrier on which they release the buffer) before it is filled again.");
        else
            name("overlapping-copies", action, copy,
                 "Copies are not ordered among each other before a completed wait: which bytes remain is undefined.");
        return;
    }
    if (waits_later) {
        name("missing-wait", action, copy, "The thread that issued the copy waits for it only after this access.",
             "Let it wait before the barrier that comes before this access.");
        finding.others.push_back(detector.place(wait->pc, "the wait that comes too late"));
        return;
    }
    if (!wait || wait->pc == 0 || wait->issued < index) {
        if (thread && on_mbarrier(*thread, by, index, action, copy))
            return;
        name("missing-wait", action, copy,
             own ? "The thread has not waited since it issued the copy. __syncthreads() does not complete copies."
                 : "The thread that issued the copy has not waited for it. __syncthreads() does not complete copies.");
        if (const uint32_t next = own && detector.unwaited(other_pc, x.pc()) ? detector.next_wait(x.pc()) : 0) {
            finding.others.push_back(detector.place(next, "the next wait"));
            const uint32_t issue = kernel_line(other_pc), wanted = kernel_line(next), here = kernel_line(x.pc());
            if (issue < wanted && wanted < here) {
                finding.message +=
                    " In the source the next wait comes first, but the compiler has moved this access in front "
                    "of it: the asm statement lacks volatile, or its \"memory\" clobber.";
                finding.remedy = "Write the wait as asm volatile(\"…\" ::: \"memory\").";
            } else {
                finding.message += " The next wait comes only after this access.";
            }
        }
        return;
    }
    auto all_but = [](uint32_t n) {
        return n == 0   ? std::string("all committed groups")
               : n == 1 ? std::string("all but the youngest group")
                        : fmt::format("all but the {} youngest groups", n);
    };
    Place waited = detector.place(wait->pc, "the last wait: for " + all_but(wait->n));
    uint32_t covered = 0;   // copies that were committed when the thread waited
    uint32_t then = groups; // groups that the thread had committed by then
    for (size_t i = 0; i < thread->commits.size(); ++i) {
        if (!(thread->commits[i].mask >> by & 1))
            continue;
        if (thread->commits_dropped + i < wait->commits)
            covered = std::max(covered, thread->commits[i].upto);
        else
            --then;
    }
    if (covered < index) {
        name("uncommitted-copy", action,
             group ? "issued the copy, and committed it after the wait" : "issued the copy, and did not commit it",
             "A wait covers committed groups only, and this copy was not committed before the wait.",
             "Commit (__pipeline_commit(), cp.async.commit_group) between the copy and the wait.");
        finding.others.push_back(std::move(waited));
        return;
    }
    const uint32_t younger = then - group;
    name("read-before-completion", action, copy,
         fmt::format("Waiting for {} leaves group {} of {} pending: {}.", all_but(wait->n), group, then,
                     younger == 0 ? "it is the youngest one itself"
                                  : fmt::format("only {} group{} been committed after it", younger,
                                                younger == 1 ? " has" : "s have")),
         fmt::format(
             "Wait with N = {} here, or keep committing groups (empty ones count) so that {} follow{} the one that is "
             "needed.",
             younger, wait->n, wait->n == 1 ? "s" : ""));
    finding.others.push_back(std::move(waited));
}

bool Conflict::issue_known(const WarpState& thread, uint32_t by, uint32_t index) const {
    if (index <= thread.copies_at_barrier)
        return true;
    const Chunk* chunk = ws.clock(lane)->chunk(thread.block);
    const uint32_t known = chunk ? chunk->at(Plane::generic, thread.warp, by) : 0;
    for (const auto& commit : thread.commits)
        if ((commit.mask >> by & 1) && commit.upto >= index)
            return commit.tick <= known;
    const BarrierArrival* told = thread.arrival(by, [&](const BarrierArrival& a) { return a.copies >= index; });
    return told && told->tick <= known;
}

/// The issuer has executed no cp.async wait. Has somebody waited for something else?
bool Conflict::on_mbarrier(const WarpState& thread, uint32_t by, uint32_t index, const std::string& action,
                           const std::string& copy) {
    const BarrierWait& wait = ws.waited[lane];
    const BarrierArrival* tracked =
        thread.arrival(by, [&](const BarrierArrival& a) { return a.tracks && a.copies >= index; });
    if (tracked && wait.barrier == tracked->barrier) {
        if (overrun(&thread, by, tracked->phase, tracked->pc, "the arrival that tracks the copy"))
            return true;
        name("early-phase", action, copy, asked_for(wait, tracked->phase), to_ask_for(wait));
        finding.others.push_back(detector.place(tracked->pc, "the arrival that tracks the copy"));
        finding.others.push_back(detector.place(wait.pc, "the wait"));
        return true;
    }
    if (tracked) {
        name("missing-wait", action, copy,
             "The copy completes a phase of an mbarrier, and this thread has not waited for that phase.");
        finding.others.push_back(detector.place(tracked->pc, "the arrival that tracks the copy"));
        return true;
    }
    const BarrierArrival* plain = thread.arrival(
        by, [&](const BarrierArrival& a) { return !a.tracks && a.copies >= index && a.barrier == wait.barrier; });
    if (plain && wait.barrier) {
        name("wrong-wait-mechanism", action, copy,
             "The issuer arrived on the mbarrier that this thread waited for, but an ordinary arrival does not track "
             "copies: the phase can complete before them.",
             "Arrive with cp.async.mbarrier.arrive.noinc (or __pipeline_arrive_on) after the copies, or wait for the "
             "copies before arriving.");
        finding.others.push_back(detector.place(plain->pc, "the arrival"));
        return true;
    }
    if (thread.last_bulk_wait_pc && thread.last_bulk_wait_copies >= index) {
        name(
            "wrong-wait-mechanism", action, copy,
            "The issuer waited for bulk groups. cp.async has groups of its own: cp.async.bulk.wait_group does not wait "
            "for them.",
            "Use cp.async.commit_group and cp.async.wait_group.");
        finding.others.push_back(detector.place(thread.last_bulk_wait_pc, "the wait for bulk groups"));
        return true;
    }
    return false;
}

void Conflict::against_copy_source() {
    name("source-modified-in-flight", "wrote bytes that an asynchronous copy may still have been reading",
         "issued the copy", "The source of a copy must not change before the copy is complete.",
         "Wait for the copy first (and synchronise, if another thread issued it).");
}

void Conflict::waited_by_another(uint32_t pc) {
    name("waited-by-another-thread",
         other_wrote ? fmt::format("{} bytes that a bulk copy was still writing", verb())
                     : fmt::format("{} bytes that a bulk copy may still have been reading", verb()),
         "issued the bulk copy",
         "Another thread has waited for bulk groups, but it had none: a wait covers only the groups of the thread that "
         "executes it.");
    finding.others.push_back(detector.place(pc, "the wait that waits for nothing"));
}

/// A bulk copy has read bytes that this thread writes only now, although the program means the write to come first.
void Conflict::written_late(const AsyncOp& op) {
    const auto issuer = detector.blocks_.find(op.block);
    const uint32_t fence = issuer == detector.blocks_.end() ? 0 : issuer->second->warps[op.warp]->proxy_fence_pc;
    const bool fenced = fence && meant(x.pc(), fence) && meant(fence, other_pc);
    name_reversed(
        fenced ? "fence-without-barrier" : "read-after-write-race", "read bytes that another thread wrote", "wrote it",
        fenced ? "Each writer executes fence.proxy.async, but no barrier orders the write before the copy: a fence "
                 "does not wait for other threads."
               : "Nothing orders the write before this copy.",
        fenced ? "Put a barrier between the writers' fences and the copy."
               : "Let each writer execute fence.proxy.async, and put a barrier between that and the copy.");
    if (fenced)
        finding.others.push_back(detector.place(fence, "the writer's fence"));
}

void Conflict::against_async() {
    const auto number = number_of(other);
    const AsyncOp& op = detector.async_ops_[number - detector.first_async_];
    using R = Detector::Role;
    const WarpState* thread = nullptr;
    if (auto it = detector.blocks_.find(op.block); it != detector.blocks_.end())
        thread = it->second->warps[op.warp].get();
    const bool own = thread == &ws && op.lane == lane;
    const auto issuers_block = detector.blocks_.find(op.block);
    const uint32_t idle_wait =
        op.by_barrier || issuers_block == detector.blocks_.end() ? 0 : issuers_block->second->idle_bulk_wait_pc;
    const Chunk* chunk = ws.clock(lane)->chunk(op.block);
    const bool issue_is_known = own || (chunk && chunk->at(Plane::generic, op.warp, op.lane) >= op.tick);
    if (!other_wrote && !issue_is_known && meant(x.pc(), other_pc)) {
        written_late(op);
        return;
    }
    if (other_wrote && role == R::load && !issue_is_known && meant(x.pc(), other_pc)) {
        name_reversed(
            "refill-while-read", "copied into a buffer that may still have been in use", "read it",
            "Nothing orders that read before this copy: the thread that copies has gone on to its next round.",
            "Let every reader reach a barrier after its last read and before the copy is issued.");
        return;
    }
    if (!op.by_barrier && thread && in_bulk_group(op, *thread))
        return;
    if (!other_wrote) {
        if (idle_wait) {
            waited_by_another(idle_wait);
            return;
        }
        name("source-modified-in-flight", fmt::format("{} bytes that a bulk copy may still have been reading", verb()),
             "issued the bulk copy",
             space == ptx::Space::shared
                 ? "The source of a copy must not change before the copy has read it."
                 : "The source of a copy, and its tensor map, must not change before the copy has read them.",
             op.by_barrier ? "Wait for the copy's mbarrier phase first."
                           : "The issuer waits (cp.async.bulk.wait_group.read), then synchronises with the writers.");
        return;
    }
    const std::string action = fmt::format("{} bytes that a bulk copy was still writing", verb());
    if (!op.by_barrier && thread && thread->bulk_read[op.lane] >= op.index && thread->bulk_done[op.lane] < op.index) {
        name("read-wait-for-result", action, "issued the bulk copy",
             "The issuer has waited until the copy had read its source (.read). That says nothing about its writes.",
             "Wait without .read (cp.async.bulk.wait_group) before using what the copy has written.");
        finding.others.push_back(detector.place(thread->last_bulk_wait_pc, "the wait"));
        return;
    }
    if (idle_wait && thread && thread->bulk_done[op.lane] < op.index) {
        waited_by_another(idle_wait);
        return;
    }
    if (!op.by_barrier && thread && thread->bulk_done[op.lane] >= op.index) {
        name("missing-barrier-after-wait", fmt::format("{} bytes that another thread's bulk copy has written", verb()),
             "issued the bulk copy",
             "The thread that issued the copy has waited for it, but nothing orders that wait before this access.",
             "Put a barrier that both threads take part in between the wait and this access.");
        return;
    }
    if (role == R::copy_destination || role == R::async_write) {
        if (other_pc == x.pc() && op.block == ws.block && !own) {
            name("overlapping-copies", action, "issued the bulk copy, too",
                 "A bulk copy is an operation of one thread. Each thread that executes it copies the bytes once more, "
                 "and "
                 "each of these copies counts on the mbarrier.",
                 "Let one elected thread issue the copy (threadIdx.x == 0, or elect.sync).");
            return;
        }
        name("overlapping-copies", action, "issued the bulk copy",
             op.by_barrier ? "The earlier copy is complete for this thread only after it has waited for the copy's "
                             "mbarrier phase."
                           : "The earlier copy is complete only when its thread has waited for its bulk group.");
        return;
    }
    const bool store = role == R::store || role == R::atomic;
    const BarrierWait& wait = ws.waited[lane];
    if (!store && op.by_barrier && wait.barrier == op.barrier) {
        // Bytes that nobody announced hold no phase open: then the phase was too short.
        if ((op.announced || (op.landed && op.expected > 0)) &&
            overrun(thread, op.lane, op.issued_in, other_pc, "issued the bulk copy"))
            return;
        name("early-phase", action, "issued the bulk copy",
             op.landed
                 ? fmt::format("The thread waited for phase {} of the mbarrier, and the copy completed phase {}: the "
                               "copy brings {} bytes, and the barrier expected {} when they arrived.",
                               wait.phase, op.phase, op.bytes, std::max<int64_t>(op.expected, 0))
                 : fmt::format("Phase {} of the mbarrier, which the thread waited for, was over before the bytes "
                               "of this copy had arrived.",
                               wait.phase),
             "Expect all bytes of a phase before its last arrival, and wait for the phase that the copy belongs to.");
        finding.others.push_back(detector.place(wait.pc, "the wait"));
        return;
    }
    name(
        store ? "write-before-completion" : "missing-wait", action, "issued the bulk copy",
        !op.by_barrier
            ? "The copy completes in a bulk group of the thread that issued it; only that thread can wait for "
              "it."
        : op.elsewhere
            ? "The copy writes to the shared memory of this block, but completes on an mbarrier of another one: nobody "
              "here can wait for it."
        : op.landed ? fmt::format("The copy completed phase {} of its mbarrier, and this thread is not ordered after a "
                                  "successful wait for that phase.",
                                  op.phase)
                    : "The copy completes a phase of its mbarrier, and this thread has not waited for that phase.",
        op.by_barrier && op.elsewhere
            ? "The destination and the mbarrier of a copy belong to the same block: map both to the receiver."
            : "");
}

} // namespace sim::hazards
