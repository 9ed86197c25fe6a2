#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::source_modified_in_flight{
    .name = "source-modified-in-flight",
    .title = "The source of a copy changes before the copy is complete",
    .why = R"(A copy may read its source at any moment between its issue and its completion. If a thread writes to the
        source meanwhile, the copy may deliver old bytes, new bytes, or a mixture. The same holds for the tensor map of a
        tile copy, until the copy has read it.)",
    .remedy =
        R"(Wait for the copy before you change its source. A tensor map is free earlier: once the issuer has committed
        the copy, even a load, to a bulk group (cp.async.bulk.commit_group) and waited for the group's reads
        (cp.async.bulk.wait_group.read).)",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#data-movement-and-conversion-instructions-cp-async",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* conflict = facts.as<Conflict>();
        if (conflict && conflict->write_overtook_copy())
            return Explanation{
                .action = "wrote bytes that a bulk copy of another thread had yet to read",
                .other_action = "issued the bulk copy",
                .message = "Nothing keeps this thread from writing the next contents before the copy has read these. "
                           "In this run the write came even before the copy's issue.",
                .remedy = "Let the issuer wait (cp.async.bulk.wait_group.read), then synchronise it with the writers.",
                .reversed = true,
            };
        if (!conflict || conflict->other_wrote)
            return std::nullopt;
        if (conflict->reads_of_copy())
            return Explanation{
                .action = "wrote bytes that an asynchronous copy may still have been reading",
                .other_action = "issued the copy",
                .message = "The source of a copy must not change before the copy is complete.",
                .remedy = "Wait for the copy before this write; if another thread issued "
                          "the copy, synchronise with that thread after its wait.",
            };
        const BulkFacts* bulk = conflict->bulk();
        if (!bulk)
            return std::nullopt;
        if (bulk->stage == BulkFacts::Stage::pending)
            return Explanation{
                .action = in_flight(*conflict),
                .other_action = "issued the bulk copy",
                .message = "The last wait allows the most recent bulk groups to stay "
                           "pending, and the group of this copy is one of them.",
                .remedy = "Use a smaller N in this cp.async.bulk.wait_group.",
                .also = {{bulk->wait_pc, "the wait"}},
            };
        if (bulk->stage != BulkFacts::Stage::in_flight)
            return std::nullopt;
        if (bulk->op->by_barrier && bulk->op->block != conflict->warp.clock.block)
            return Explanation{
                .action = in_flight(*conflict),
                .other_action = "issued the bulk copy",
                .message =
                    fmt::format("The copy was issued by a thread of another block and completes on {} of {} block. "
                                "Nothing orders a wait for that phase before this write.",
                                conflict->barrier(bulk->op->barrier),
                                bulk->op->barrier_block == conflict->warp.clock.block ? "this" : "that"),
                .remedy =
                    conflict->apart() == Apart::in_cluster
                        ? "Put a barrier of the cluster (cluster.sync(), barrier.cluster) between the wait for the "
                          "copy and this write."
                        : order_globally,
            };
        if (bulk->op->by_barrier && reads_map(conflict->other))
            return Explanation{
                .action = in_flight(*conflict),
                .other_action = "issued the bulk copy",
                .message = "A tensor map must not change before the copies that use it have read it.",
                .remedy = "Before this write, wait for the copy's mbarrier phase. Or let the issuer commit the copy "
                          "(cp.async.bulk.commit_group) and wait until it has read the map "
                          "(cp.async.bulk.wait_group.read), then synchronise it with the writers.",
            };
        return Explanation{
            .action = in_flight(*conflict),
            .other_action = "issued the bulk copy",
            .message = conflict->shared()
                           ? "The source of a copy must not change before the copy has read it."
                           : "The source of a copy, and its tensor map, must not change before the copy has read them.",
            .remedy =
                bulk->op->by_barrier
                    ? "Wait for the copy's mbarrier phase before this write."
                    : "Let the issuer wait (cp.async.bulk.wait_group.read), then synchronise it with the writers.",
        };
    },
    .suspected = {{"cp.async.bulk.wait", 2}, {"cp.async.bulk.commit", 3}, {"fence", 4}},
    .suspected_with = "bulk",
    .wrong = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int queue[64], out[64];

__global__ void take() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &queue[i], sizeof(int));
    __pipeline_commit();
    queue[i] = 0; // wrong: the copy may not have read it yet
    __pipeline_wait_prior(0);
    out[i] = tile[i];
}

int main() {
    take<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    queue[i] = 0; // wrong: the copy may not have read it yet
     __pipeline_wait_prior(0);
+    queue[i] = 0;
)",
};

} // namespace sim::hazards
