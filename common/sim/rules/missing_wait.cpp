#include "sim/rules/library_words.h"
#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

Explanation unwaited(const Conflict& conflict, const CopyFacts& copy) {
    Explanation text{
        .action = in_flight(conflict),
        .other_action = issued(copy),
        .message =
            copy.own
                ? "The thread has not waited since it issued the copy. __syncthreads() does not complete copies."
                : "The thread that issued the copy has not waited for it. __syncthreads() does not complete copies.",
    };
    const Places& places = conflict.context().places;
    if (places.has_called(conflict.other_pc, "cooperative_groups::"))
        text.remedy = "Call cooperative_groups::wait for the group that copies before you use the bytes.";
    else if (places.has_called(conflict.other_pc, "__pipeline_memcpy_async"))
        text.remedy = "Call __pipeline_commit after the copies, and __pipeline_wait_prior before you use the bytes.";
    if (!copy.next_wait)
        return text;
    text.also = {{copy.next_wait, "the next wait"}};
    const uint32_t issue = conflict.kernel_line(conflict.other_pc), wanted = conflict.kernel_line(copy.next_wait),
                   here = conflict.kernel_line(conflict.pc);
    if (issue < wanted && wanted < here) {
        text.message += "In the source the next wait comes first, but the compiler has moved this access "
                        "before it, because the asm statement lacks volatile or its \"memory\" clobber.";
        text.remedy = "Write the wait as asm volatile(\"…\" ::: \"memory\").";
    } else {
        text.message += " The next wait comes only after this access.";
    }
    return text;
}

/// The copy completes in a phase that the thread has not waited for.
Explanation untracked(const Conflict& conflict, const CopyFacts& copy) {
    const std::string phase = phase_text(copy.tracked->phase, conflict),
                      barrier = conflict.barrier(copy.tracked->barrier);
    Explanation text{
        .action = in_flight(conflict),
        .other_action = issued(copy),
        .message = fmt::format("The copy completes in {} of {}, and this thread has not waited for that phase.", phase,
                               barrier),
        .remedy = fmt::format("Wait for {} of {} before this access", phase, barrier),
        .also = {{copy.tracked->pc, "the arrival that tracks the copy"}},
    };
    text.remedy +=
        add_last_wait(text, conflict, copy.tracked->barrier) ? ", or use the buffer that the last wait was for." : ".";
    return text;
}

/// The thread has gone on to its next round without a wait for the end of this one.
Explanation arrived_twice(const ArrivedTwice& twice) {
    const events::ArrivalTooMany& arrival = twice.arrival;
    const std::string phase = phase_text(twice.phase, twice.by_parity);
    Explanation text =
        waited_again(twice.wait, twice.awaited, twice.by_parity)
            .value_or(Explanation{
                .message =
                    arrival.tx > 0
                        ? fmt::format("The thread has already arrived in {} of the mbarrier {}, and {} bytes of the "
                                      "copies that complete in it are still outstanding: nothing between the two "
                                      "arrivals waits until the buffer can be filled again.",
                                      phase, arrival.name, arrival.tx)
                        : fmt::format("The thread has already arrived in {} of the mbarrier {}, which is not complete: "
                                      "nothing between the two arrivals waits for that phase.",
                                      phase, arrival.name),
                .remedy =
                    arrival.tx > 0
                        ? is_barrier_object(twice.call)
                              ? "Before this line, wait until the readers have released the buffer: let each of "
                                "them arrive on a second barrier (`empty`) after its last read, and wait for that."
                              : "Before this line, wait until the readers have released the buffer: for their "
                                "barrier (`empty`), with parity 1 in the first lap over the buffers, then 0, 1, "
                                "… If they release the buffers in advance, begin with parity 0 instead."
                        : fmt::format(
                              "Wait for {} of the mbarrier {} before the next arrival on it, or for a barrier on "
                              "which the threads that it is for arrive.",
                              phase, arrival.name),
            });
    // The thread has waited for this very barrier, but only for the phase before the first.
    if (!twice.wait.again && twice.wait.before_first() && twice.awaited == "the mbarrier " + arrival.name) {
        text.message =
            fmt::format("The wait before it returned at once: it asked {} for parity 1 before its first phase "
                        "had completed. It should have asked for {}.",
                        twice.awaited, phase);
        text.remedy = phases_in_turn;
        blame_wait(text, twice.wait, twice.by_parity);
    }
    text.action = "arrived on an mbarrier again before its phase was complete";
    if (twice.wait.barrier && !text.cause.first)
        text.also.emplace_back(twice.wait.pc, "the last wait before it");
    return text;
}

/// A wgmma has read bytes that nothing had written before this copy.
Explanation read_by_wgmma(const Conflict& conflict) {
    Explanation text{.action = "issued a wgmma.mma_async before the copy that writes its operands",
                     .other_action = "issued the bulk copy",
                     .message = {},
                     .reversed = true};
    const BulkOp* copy = conflict.newest_copy();
    if (!copy || !copy->by_barrier)
        return text;
    const std::string phase = phase_text(copy->issued_in, conflict), barrier = conflict.barrier(copy->barrier);
    text.message =
        fmt::format("The copy completes in {} of {}, and the warpgroup has not waited for that phase.", phase, barrier);
    text.remedy = fmt::format("Wait for {} of {} before the wgmma.mma_async.", phase, barrier);
    return text;
}

} // namespace

const Rule rule::missing_wait{
    .name = "missing-wait",
    .title = "Bytes of an asynchronous copy are used, and no thread has waited for it",
    .why = R"(cp.async only starts a copy. Its bytes may arrive at any moment until the thread that issued it has
        executed a wait that covers it, or until the mbarrier that tracks it has completed its phase. A block barrier
        orders what threads have done; it does not complete copies that are still in flight. If a thread arrives
        on an mbarrier twice in one phase, its loop has not waited for the previous round.)",
    .remedy = R"(Wait for the copy (cp.async.wait_group, __pipeline_wait_prior, or the mbarrier phase that tracks it)
        before you use its bytes.)",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#data-movement-and-conversion-instructions-cp-async",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto* twice = facts.as<ArrivedTwice>())
            return arrived_twice(*twice);
        if (const auto early = early_read(facts); early && early->by_copy() && !early->waited) {
            Explanation text = read_before_the_copy(*early);
            pipeline_words(*early, text);
            return text;
        }
        const auto* conflict = facts.as<Conflict>();
        if (conflict && conflict->wgmma_read_nothing())
            return read_by_wgmma(*conflict);
        if (!conflict || conflict->writes())
            return std::nullopt;
        if (const BulkFacts* bulk = conflict->bulk()) {
            if (bulk->stage != BulkFacts::Stage::in_flight || !conflict->other_wrote)
                return std::nullopt;
            return not_waited_for(*conflict, *bulk->op);
        }
        const CopyFacts* copy = conflict->copy();
        if (!copy)
            return std::nullopt;
        if (copy->stage == CopyFacts::Stage::waits_later)
            return Explanation{
                .action = in_flight(*conflict),
                .other_action = issued(*copy),
                .message = "The thread that issued the copy waits for it only after this access.",
                .remedy = "Let the issuer wait before the barrier that precedes this access.",
                .also = {{copy->wait->pc, "the wait, which comes too late"}},
            };
        if (copy->stage != CopyFacts::Stage::unwaited)
            return std::nullopt;
        if (copy->tracked)
            return untracked(*conflict, *copy);
        return unwaited(*conflict, *copy);
    },
    .rather = &rule::missing_barrier_after_wait, // some issuers have waited, others had not come to their wait
    .suspected = {{"cp.async.bulk.wait", 5},
                  {"cp.async.bulk.commit", 5},
                  {"cp.async.wait", 1},
                  {"cp.async.commit", 3},
                  {"cp.async.mbarrier.arrive", 3},
                  {"mbarrier.t", 1},
                  {"mbarrier.arrive.expect_tx", 3},
                  {"mbarrier.expect_tx", 3},
                  {"mbarrier.arrive", 4},
                  {"bar", 7}},
    .suspected_with = "wait",
    .wrong = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[64], out[64];

__global__ void twice() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int));
    __pipeline_commit();
    __syncthreads(); // wrong: the copy may still be in flight
    out[i] = 2 * tile[i];
}

int main() {
    twice<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    __syncthreads(); // wrong: the copy may still be in flight
+    __pipeline_wait_prior(0);
)",
};

} // namespace sim::hazards
