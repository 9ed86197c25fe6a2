#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

/// Do lanes of one warp issue the same store by one instruction? Then the bytes are the same, whichever comes last.
bool same_store(const Conflict& conflict, const BulkOp& earlier) {
    const BulkOp* now = conflict.newest_copy();
    return now && conflict.role == Role::async_write && !earlier.by_barrier && !now->by_barrier && !earlier.reduction &&
           !now->reduction && earlier.pc == now->pc && earlier.block == now->block && earlier.warp == now->warp &&
           earlier.lane != now->lane && earlier.tick == now->tick && earlier.source == now->source &&
           earlier.target == now->target;
}

std::optional<Explanation> after_bulk_copy(const Conflict& conflict, const BulkFacts& bulk) {
    if (conflict.other_wrote && same_store(conflict, *bulk.op))
        return Explanation{
            .action = "stored bytes that another lane of the warp stores, too",
            .other_action = "issued the same store",
            .message = "A bulk store is an operation of one thread. Each lane that executes it stores all the bytes "
                       "again: the result does not depend on the order, because they are the same bytes.",
            .remedy = "Let one elected thread issue the store (threadIdx.x == 0, or elect.sync).",
            .severity = Severity::note,
        };
    if (bulk.stage != BulkFacts::Stage::in_flight || !conflict.other_wrote)
        return std::nullopt;
    if (!is_store(conflict) && conflict.other_pc == conflict.pc && bulk.op->block == conflict.warp.clock.block &&
        !bulk.own)
        return Explanation{
            .action = in_flight(conflict),
            .other_action = issued_bulk(conflict) + ", too",
            .message = "A bulk copy is an operation of one thread. Each thread that executes it copies "
                       "all the bytes again, and the mbarrier counts the bytes of each of these copies.",
            .remedy = "Let one elected thread issue the copy (threadIdx.x == 0, or elect.sync).",
        };
    const BulkOp& op = *bulk.op;
    Explanation text;
    if (const auto stale = waited_again(conflict)) {
        text = *stale;
    } else if (stored_by_two_blocks(conflict, bulk)) {
        text.message = "Two blocks store to the same bytes, and nothing orders one store after the other.";
        text.remedy = look_at_places;
    } else if (!op.by_barrier) {
        text.message = "The earlier copy may still be writing until its issuer has waited for its bulk group.";
    } else if (op.barrier_block != conflict.warp.clock.block) {
        text.message = fmt::format("The earlier {} completes on {} of another block, so only that block can know "
                                   "when its bytes have arrived and have been read.",
                                   noun(conflict), conflict.barrier(op.barrier));
        text.remedy = "Let the block that receives the copy arrive on a barrier of this block (mapa, "
                      "mbarrier.arrive.shared::cluster) when it has read, and wait for that phase here.";
    } else {
        text.message = fmt::format("The earlier {} may still be writing until this thread "
                                   "is ordered after {} of {}, in which it completes.",
                                   noun(conflict), phase_text(op.landed ? op.phase : op.issued_in, conflict),
                                   conflict.barrier(op.barrier));
        if (bulk.own && conflict.same_line() && !conflict.phase_wait().barrier) {
            text.message += " The thread fills the buffer again, and has not waited for any mbarrier so far.";
            text.remedy = "Before this line, wait until the readers have released the buffer: let them arrive on a "
                          "second mbarrier (`empty`) after their last read, and wait for that one, with parity 1 in "
                          "the first lap over the buffers, then 0, 1, …";
        }
    }
    text.action = in_flight(conflict);
    text.other_action = issued_bulk(conflict);
    return text;
}

/// How the thread has waited for its own earlier copy.
void add_wait(Explanation& text, const CopyFacts& copy) {
    if (copy.stage == CopyFacts::Stage::pending) {
        const uint32_t younger = copy.groups - copy.group;
        text.message += fmt::format(" The last wait, for {}, leaves group {} of {} pending.", all_but(copy.wait->n),
                                    copy.group, copy.groups);
        text.remedy = fmt::format("Use N = {} in this wait, or give each copy its own destination.", younger);
        text.also.emplace_back(copy.wait->pc, "the last wait: for " + all_but(copy.wait->n));
    } else if (copy.stage == CopyFacts::Stage::unwaited && copy.group) {
        text.message += copy.wait->pc ? " The thread has not waited since it committed the earlier one."
                                      : " The thread has not executed any wait for its groups so far.";
    }
}

} // namespace

const Rule rule::overlapping_copies{
    .name = "overlapping-copies",
    .title = "Two copies in flight write the same bytes",
    .why = R"(Asynchronous copies, even those of one thread, are not ordered with each other until a thread has waited
        for the first one. If two copies in flight write the same bytes, either may write last. A bulk copy is an
        operation of one thread: if every thread executes it, each of them copies all the bytes.)",
    .remedy = "Give each copy its own destination, or wait for the first copy before you issue the second.",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#data-movement-and-conversion-instructions-cp-async",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* conflict = facts.as<Conflict>();
        if (!conflict || (conflict->role != Role::copy_destination && conflict->role != Role::async_write))
            return std::nullopt;
        if (const BulkFacts* bulk = conflict->bulk())
            return after_bulk_copy(*conflict, *bulk);
        const CopyFacts* copy = conflict->copy();
        if (!copy)
            return std::nullopt;
        if (copy->stage == CopyFacts::Stage::complete) {
            if (conflict->role != Role::copy_destination)
                return std::nullopt;
            return Explanation{
                .action = "copied into bytes that another thread's copy has written",
                .other_action = issued(*copy),
                .message = "The other thread has waited for its copy, but nothing orders that "
                           "wait before this copy, so it is undefined which bytes remain.",
                .remedy = "Let only one thread copy each byte, or put __syncthreads() "
                          "between the other thread's wait and this copy.",
            };
        }
        Explanation text{.action = in_flight(*conflict), .other_action = issued(*copy), .message = {}};
        if (copy->tracked) {
            text.message = fmt::format("The earlier copy completes in phase {} of an mbarrier, and "
                                       "this thread is neither ordered after that phase nor after "
                                       "the reads of its bytes: the producer overruns its consumer.",
                                       copy->tracked->phase);
            text.remedy = "Wait for the phase of the mbarrier on which the consumers "
                          "release the buffer (`empty`) before you fill it again.";
        } else {
            text.message = "Copies are not ordered with each other until a wait for the "
                           "first one has completed, so it is undefined which bytes remain.";
            if (copy->own)
                add_wait(text, *copy);
        }
        return text;
    },
    .suspected = {{"cp.async.wait", 4}, {"cp.async.commit", 5}, {"mbarrier.t", 4}},
    .suspected_with = "wait",
    .wrong = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[2][64], out[64];

__global__ void last() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    for (int s = 0; s < 2; ++s) {
        __pipeline_memcpy_async(&tile[i], &in[s][i], sizeof(int)); // wrong: both rounds fill the same buffer
        __pipeline_commit();
    }
    __pipeline_wait_prior(0);
    out[i] = tile[i];
}

int main() {
    last<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    __shared__ int tile[64];
+    __shared__ int tile[2][64];

-        __pipeline_memcpy_async(&tile[i], &in[s][i], sizeof(int)); // wrong: both rounds fill the same buffer
+        __pipeline_memcpy_async(&tile[s][i], &in[s][i], sizeof(int));

-    out[i] = tile[i];
+    out[i] = tile[0][i] + tile[1][i];
)",
};

} // namespace sim::hazards
