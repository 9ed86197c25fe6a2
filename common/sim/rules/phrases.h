// Sentences that several rules share.
#pragma once

#include <fmt/format.h>

#include "sim/rules/list.h"

namespace sim::hazards {

/// "issued the copy, in group 2 of each thread"
inline std::string issued(const CopyFacts& copy) {
    return copy.group
               ? fmt::format("issued the copy, in group {} of {}", copy.group, copy.own ? "the thread" : "each thread")
               : "issued the copy";
}
/// Whether a bulk copy, or the store of another kind that a conflict is about, comes from registers.
inline bool is_store(const Conflict& conflict) {
    return is_store(conflict.context().places, conflict.bulk()->op->pc);
}
/// "a bulk copy"
inline std::string bulk_copy(const Conflict& conflict) {
    return !is_store(conflict) ? "a bulk copy" : conflict.bulk()->op->reduction ? "red.async" : "st.async";
}
/// "issued the bulk copy"
inline std::string issued_bulk(const Conflict& conflict) {
    return is_store(conflict) ? "executed " + bulk_copy(conflict) : "issued the bulk copy";
}
/// "copy"
inline const char* noun(const Conflict& conflict) {
    return is_store(conflict) ? "store" : "copy";
}
/// "read bytes that an asynchronous copy was still writing"
inline std::string in_flight(const Conflict& conflict) {
    if (!conflict.bulk())
        return fmt::format("{} bytes that an asynchronous copy was still writing", conflict.verb());
    if (reads_map(conflict.other) && !conflict.other_wrote)
        return fmt::format("{} a tensor map that a bulk copy may still have been reading", conflict.verb());
    return fmt::format("{} bytes that {} {}", conflict.verb(), bulk_copy(conflict),
                       conflict.other_wrote ? "was still writing" : "may still have been reading");
}
/// "a swizzle of 128 bytes"
inline std::string swizzle(uint32_t span) {
    return span ? fmt::format("a swizzle of {} bytes", span) : "no swizzle";
}
/// "all but the youngest group"
inline std::string all_but(uint32_t n) {
    return n == 0   ? "all committed groups"
           : n == 1 ? "all but the youngest group"
                    : fmt::format("all but the {} youngest groups", n);
}

/// A producer came too soon to a buffer that the reader had not read yet: for the rules about refilling.
inline Explanation overrun(const Conflict& conflict, std::string producer_action) {
    const LaterPhase& later = *conflict.later_phase();
    const PhaseWait& wait = conflict.phase_wait();
    const std::string what = later.bulk        ? issued_bulk(conflict)
                             : conflict.copy() ? "the arrival that tracks the copy"
                                               : "the writer's arrival";
    return {
        .action = std::move(producer_action),
        .other_action = "read it",
        .message = fmt::format("The reader has waited for phase {} of the mbarrier, but it found the bytes that were "
                               "written for phase {}: the producer did not wait until the buffer had been read.",
                               wait.phase, later.phase),
        .remedy = "Let each consumer arrive on a second mbarrier (`empty`, one per buffer) when it has "
                  "read, and let the producer wait for that phase before it fills the buffer again.",
        .also = {{later.pc, what}, {wait.pc, "the consumer's wait"}},
        .reversed = true,
    };
}

inline constexpr const char* count_all = "Pass mbarrier.init the number of all arrivals of one phase.";
inline constexpr const char* order_globally = "Order the two accesses: split the work into two launches, "
                                              "or use a grid barrier, or a release and an acquire.";
inline constexpr const char* order_globally_in_cluster =
    "Put a barrier of the cluster (cluster.sync()) between the two accesses. If other clusters use these bytes, too, "
    "split the work into two launches, or use a grid barrier, or a release and an acquire.";
inline constexpr const char* order_globally_in_block =
    "Put __syncthreads() between the two accesses. If other blocks use these bytes, too, split the work into two "
    "launches, or use a grid barrier, or a release and an acquire.";
inline constexpr const char* order_in_cluster =
    "Put a barrier of the cluster between the two accesses (cluster.sync(), or barrier.cluster.arrive.release and "
    "barrier.cluster.wait.acquire), or let the block that comes first arrive on an mbarrier of the other block "
    "(mbarrier.arrive.release.cluster), which waits for that phase. __syncthreads() orders the threads of one block "
    "only.";
inline constexpr const char* meet_between =
    "Put __syncthreads() (or another barrier that both threads take part in) between them.";
/// What orders two threads that are so far apart. `in_block`: what does so in the shared memory of their block.
inline const char* order_the_two(Apart apart, bool shared, const char* in_block) {
    switch (apart) {
    case Apart::in_block:
        return shared ? in_block : order_globally_in_block;
    case Apart::in_cluster:
        return shared ? order_in_cluster : order_globally_in_cluster;
    case Apart::in_grid:
        return order_globally;
    }
    return "";
}
inline const char* order_the_two(const Conflict& conflict, const char* in_block) {
    return order_the_two(conflict.apart(), conflict.shared(), in_block);
}
inline const char* order_the_two(const EarlyRead& read) {
    return order_the_two(read.apart, read.space == ptx::Space::shared, meet_between);
}

/// The facts, if they are about a read that came before the write that it was meant to see.
inline std::optional<EarlyRead> early_read(const Facts& facts) {
    if (const auto* early = facts.as<EarlyRead>())
        return *early;
    const auto* conflict = facts.as<Conflict>();
    return conflict ? conflict->early_read() : std::nullopt;
}
/// Such a read, before a copy's write.
inline Explanation read_before_the_copy(const EarlyRead& read) {
    return {
        .action = "read bytes before another thread's copy wrote them",
        .other_action = read.writer == Role::async_write ? "issued the bulk copy" : "issued the copy",
        .message = "Nothing orders the copy, and a wait by the thread that issued "
                   "it, before this read. In this run the read came first.",
        .remedy = order_the_two(read),
        .reversed = true,
    };
}
/// The same for an ordinary write.
inline Explanation read_before_the_write(const EarlyRead& read) {
    return {
        .action = fmt::format("read {} memory before another thread wrote it",
                              read.space == ptx::Space::shared ? "shared" : "global"),
        .other_action = "wrote it",
        .message = "Nothing orders the write before this read. In this run the read came first.",
        .remedy = order_the_two(read),
        .reversed = true,
    };
}

/// "phase 2 (parity 0)"; "phase 2" where the program does not wait by parity
inline std::string phase_text(uint32_t phase, bool by_parity = true) {
    return by_parity ? fmt::format("phase {} (parity {})", phase, phase & 1) : fmt::format("phase {}", phase);
}
inline std::string phase_text(uint32_t phase, const Conflict& conflict) {
    return phase_text(phase, conflict.by_parity());
}
/// The remedy for a wait that asked for the wrong phase.
inline constexpr const char* phases_in_turn =
    "Wait for the phases in turn: parity 0 for the first phase of a barrier, 1 for the second, 0 for the third.";
inline constexpr const char* newest_token =
    "Wait with the token that the thread's latest arrival on this barrier has returned.";

/// A wait that returned at once since it asked for the wrong phase is the line to change.
inline std::pair<uint32_t, std::string> wrong_wait(const PhaseWait& wait, bool by_parity) {
    return {wait.pc, wait.before_first() ? "this wait for parity 1 returned at once"
                                         : fmt::format("this wait asked for {} again and returned at once",
                                                       phase_text(wait.phase, by_parity))};
}

/// Shows such a wait first.
inline void blame_wait(Explanation& text, const PhaseWait& wait, bool by_parity) {
    text.cause = wrong_wait(wait, by_parity);
    text.returned_at_once = true;
}

/// The thread's last wait on an mbarrier returned at once, for a phase that the thread had already waited for: such a
/// wait orders nothing, and later findings are a consequence. nullopt: it did not.
inline std::optional<Explanation> waited_again(const PhaseWait& wait, const std::string& barrier, bool by_parity) {
    if (!wait.barrier || !wait.again)
        return std::nullopt;
    const std::string next = phase_text(wait.before_first() ? 0 : wait.phase + 1, by_parity);
    Explanation text;
    text.message = wait.before_first()
                       ? fmt::format("The wait before it returned at once: it asked {} for parity 1 once more, before "
                                     "its first phase had completed. It should have asked for {}.",
                                     barrier, next)
                       : fmt::format("The wait before it returned at once: it asked {} for {}, for which this thread "
                                     "had already waited. It should have asked for {}.",
                                     barrier, phase_text(wait.phase, by_parity), next);
    text.remedy = by_parity ? phases_in_turn : newest_token;
    blame_wait(text, wait, by_parity);
    return text;
}
inline std::optional<Explanation> waited_again(const Conflict& conflict) {
    return waited_again(conflict.phase_wait(), conflict.barrier(conflict.phase_wait().barrier), conflict.by_parity());
}

/// Adds which other barrier than this one the thread's last wait was for; false: there is none.
inline bool add_last_wait(Explanation& text, const Conflict& conflict, uint32_t barrier) {
    const PhaseWait& wait = conflict.phase_wait();
    if (!wait.barrier || wait.barrier == barrier)
        return false;
    text.message +=
        fmt::format(" Its last wait asked {}{}.",
                    conflict.barrier(wait.barrier) == conflict.barrier(barrier) ? "its own block's barrier of that name"
                                                                                : conflict.barrier(wait.barrier),
                    wait.again            ? ", for a phase that it had already waited for"
                    : wait.before_first() ? " for parity 1, before its first phase had completed"
                                          : fmt::format(" for {}", phase_text(wait.phase, conflict)));
    if (wait.again)
        blame_wait(text, wait, conflict.by_parity());
    else
        text.also.emplace_back(wait.pc, "the last wait");
    return true;
}

/// A bulk copy is in flight as far as this thread knows.
inline Explanation not_waited_for(const Conflict& conflict, const BulkOp& op) {
    Explanation text{.action = in_flight(conflict), .other_action = issued_bulk(conflict), .message = {}};
    if (!op.by_barrier) {
        text.message = "The copy completes in a bulk group of the thread "
                       "that issued it, so only that thread can wait for it.";
        text.remedy = "Let that thread commit the copy and wait for it (cp.async.bulk.commit_group, "
                      "cp.async.bulk.wait_group), and put a barrier between its wait and this access.";
    } else if (op.elsewhere) {
        text.message = fmt::format("The {} writes to the shared memory of this block, but completes on {} of another "
                                   "block, so no thread of this block can wait for it.",
                                   noun(conflict), conflict.barrier(op.barrier));
        text.remedy = "Use the mbarrier of the block that receives the bytes: "
                      "map both the destination and the mbarrier to that block.";
    } else {
        const uint32_t phase = op.landed ? op.phase : op.issued_in;
        text.message = fmt::format("The {} completes in {} of {}{}, and this thread has not waited for that phase.",
                                   noun(conflict), phase_text(phase, conflict), conflict.barrier(op.barrier),
                                   op.barrier_block == conflict.warp.clock.block ? "" : " of another block");
        const bool of_another = add_last_wait(text, conflict, op.barrier);
        if (op.barrier_block == conflict.warp.clock.block)
            text.remedy = fmt::format("Wait for {} of {} before this access{}.", phase_text(phase, conflict),
                                      conflict.barrier(op.barrier),
                                      of_another ? ", or use the buffer that the last wait was for" : "");
        if (conflict.group_waited()) {
            text.message += " Another warp of its warpgroup has waited, but a wait makes the bytes visible only to the "
                            "threads that execute it.";
            text.remedy = fmt::format("Let each warp of the warpgroup wait for {} of {}, or put a barrier of the "
                                      "warpgroup between that wait and the wgmma.mma_async.",
                                      phase_text(phase, conflict), conflict.barrier(op.barrier));
        }
    }
    return text;
}

/// "read through the async proxy what cp.async wrote (generic proxy)"
inline std::string through_async_proxy(const Conflict& conflict) {
    const bool copied = kind_of(conflict.other) == EpochKind::copy;
    return fmt::format("{} through the async proxy bytes that {}", conflict.writes() ? "wrote" : "read",
                       copied ? "cp.async wrote (generic proxy)" : "were written through the generic proxy");
}

/// Do two blocks store to these bytes, with bulk copies of one line? Then one of them mostly stores to the wrong place.
inline bool stored_by_two_blocks(const Conflict& conflict, const BulkFacts& other) {
    return conflict.role == Role::async_write && !conflict.shared() && conflict.same_line() && !other.op->by_barrier &&
           other.op->block != conflict.warp.clock.block;
}
inline constexpr const char* look_at_places =
    "Check where each block stores: exchanged coordinates, or a map with the wrong pitch, make tiles overlap. If both "
    "are meant to write these bytes, order the second store after a wait_group without .read in the first block.";

} // namespace sim::hazards
