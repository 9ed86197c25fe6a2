#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

/// The copy is ordered after another lane of the reader's warp, which has released the buffer as if it spoke for the
/// reader, too.
std::optional<uint32_t> released_by(const Conflict& conflict) {
    const WarpClock& clock = conflict.warp.clock;
    const uint64_t block = block_of(conflict.other);
    const uint32_t warp = warp_of(conflict.other);
    const Chunk* chunk = clock.clock(conflict.lane)->chunk(block);
    if (!chunk || (block == clock.block && warp == clock.warp))
        return std::nullopt;
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (lane != lane_of(conflict.other) && chunk->at(Plane::generic, warp, lane) >= tick_of(conflict.other))
            return lane;
    return std::nullopt;
}

/// Does a bulk copy overwrite the bytes that an earlier one delivers to another block, which alone knows when they were
/// read? A copy that the same line issues to the same place once more is the next round's, even if the earlier one is
/// still in flight.
bool refills_peer(const Conflict& conflict, const BulkFacts& earlier) {
    const BulkOp& op = *earlier.op;
    return conflict.role == Role::async_write && conflict.shared() && conflict.other_wrote && op.by_barrier &&
           (op.landed || (earlier.own && conflict.same_line())) && !op.elsewhere &&
           op.barrier_block != conflict.warp.clock.block;
}

Explanation refill_of_peer(const Conflict& conflict, const BulkOp& earlier) {
    const std::string barrier = conflict.barrier(earlier.barrier);
    Explanation text = waited_again(conflict).value_or(Explanation{
        .message =
            earlier.landed
                ? fmt::format("The earlier copy's bytes have arrived in phase {} of {} of that block, and nothing "
                              "orders this thread after the reads of that block's threads.",
                              earlier.phase, barrier)
                : fmt::format("The earlier copy completes in phase {} of {} of that block, and nothing orders "
                              "this thread after that block's waits for the phase and its reads of the bytes.",
                              earlier.issued_in, barrier),
        .remedy = "Let the threads that read the buffer arrive on a barrier of this block when they have read "
                  "(mapa, mbarrier.arrive.shared::cluster; mbarrier.init counts the readers of all blocks), or "
                  "put a barrier of the cluster between their reads and this copy.",
    });
    text.action = "copied into a buffer of another block that may still have been in use";
    text.other_action = "issued the copy that filled it";
    return text;
}

} // namespace

const Rule rule::refill_while_read{
    .name = "refill-while-read",
    .title = "A buffer is refilled by a copy while it may still be read",
    .why = R"(A copy may write its destination as soon as it is issued. Every thread must have finished reading the
        old contents before the copy is issued. Only a barrier (or an mbarrier phase) between the last read and the
        issue ensures that. In a loop this is the second barrier, the one that "empties" the stage. If one lane
        releases the stage for its warp, it has to execute __syncwarp() before. If the copy writes to another block of
        the cluster, the readers in that block have to release the buffer to the issuer.)",
    .remedy = "Put __syncthreads() between the last read of the buffer and the issue of the copy.",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#data-movement-and-conversion-instructions-cp-async",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* conflict = facts.as<Conflict>();
        if (!conflict)
            return std::nullopt;
        constexpr const char* refilled = "copied into a buffer that may still have been in use";
        const char* wait_for_readers =
            conflict->shared() && conflict->apart() == Apart::in_cluster
                ? "Put a barrier of the cluster (cluster.sync()) between the last read of the buffer and the issue of the "
                  "copy, or let the readers arrive on an mbarrier of the issuer's block (mbarrier.arrive.release.cluster), "
                  "which waits for that phase first."
                : "Put a barrier between the last read of the buffer and the issue of the copy.";
        const CopyFacts* copy = conflict->copy();
        const BulkFacts* bulk = conflict->bulk();
        if ((copy && copy->stage == CopyFacts::Stage::overtaken) ||
            (bulk && bulk->stage == BulkFacts::Stage::overtaken && conflict->other_wrote))
            return Explanation{
                .action = refilled,
                .other_action = "read it",
                .message = "Nothing orders that read before this copy: the thread that "
                           "issues the copy has already gone on to its next round.",
                .remedy = wait_for_readers,
                .reversed = true,
            };
        if (bulk && refills_peer(*conflict, *bulk))
            return refill_of_peer(*conflict, *bulk->op);
        if ((copy || bulk) && conflict->later_phase() && conflict->later_phase()->overrun)
            return overrun(*conflict, refilled);
        const bool copies = conflict->role == Role::copy_destination || conflict->async();
        if (!conflict->ordinary() || conflict->other_wrote || !copies || conflict->only_unfenced())
            return std::nullopt;
        if (const auto by = released_by(*conflict))
            return Explanation{
                .action = refilled,
                .other_action = "read it",
                .message = fmt::format(
                    "Lane {} of the reader's warp released the buffer, but nothing orders this read before that "
                    "release: a lane speaks only for itself, and neither elect.sync nor a branch is a barrier.",
                    *by),
                .remedy =
                    "Execute __syncwarp() between the reads and the release by the elected lane, or let every lane "
                    "arrive.",
            };
        if (conflict->early_read())
            return std::nullopt;
        Explanation text = waited_again(*conflict).value_or(Explanation{
            .message = "Nothing orders that read before this copy, so the copy "
                       "may refill the buffer while a thread still reads it.",
            .remedy = wait_for_readers,
        });
        text.action = refilled;
        text.other_action = "read it";
        return text;
    },
    .suspected = {{"cp.async.wait", 5}, {"mbarrier.t", 3}, {"mbarrier.arrive", 3}, {"bar", 4}},
    .suspected_with = "wait",
    .wrong = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[4][64], out[4][64];

__global__ void reverse_rows() {
    __shared__ int row[64];
    const int i = threadIdx.x;
    for (int r = 0; r < 4; ++r) {
        __pipeline_memcpy_async(&row[i], &in[r][i], sizeof(int)); // wrong: thread 63 - i may still read row[i]
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        out[r][i] = row[63 - i];
    }
}

int main() {
    reverse_rows<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-        __pipeline_memcpy_async(&row[i], &in[r][i], sizeof(int)); // wrong: thread 63 - i may still read row[i]
+        __pipeline_memcpy_async(&row[i], &in[r][i], sizeof(int));

         out[r][i] = row[63 - i];
+        __syncthreads(); // every thread has read the row
)",
};

} // namespace sim::hazards
