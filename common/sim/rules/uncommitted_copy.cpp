#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::uncommitted_copy{
    .name = "uncommitted-copy",
    .title = "A wait does not cover a copy that was not committed",
    .why = R"(A copy belongs to no group until its thread commits it. cp.async.wait_group waits only for committed
        groups, so a copy that is committed after the wait, or never, is still in flight when the wait returns.
        (cp.async.wait_all commits by itself.))",
    .remedy = "Commit (cp.async.commit_group, __pipeline_commit()) between the copies and the wait.",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#data-movement-and-conversion-instructions-cp-async-commit-group",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto* outlives = facts.as<CopyOutlivesBlock>();
            outlives && outlives->wait == CopyOutlivesBlock::Wait::uncommitted)
            return Explanation{
                .action =
                    "issued a bulk store, did not commit it before the wait, and exited before the store had read "
                    "its source",
                .message = "A wait covers only committed bulk groups, and this copy was not committed before the wait.",
                .remedy = "Execute cp.async.bulk.commit_group between the copy and the wait.",
                .also = {{outlives->wait_pc, "the wait"}},
            };
        const auto* conflict = facts.as<Conflict>();
        if (!conflict)
            return std::nullopt;
        if (const BulkFacts* bulk = conflict->bulk(); bulk && bulk->stage == BulkFacts::Stage::uncommitted)
            return Explanation{
                .action = in_flight(*conflict),
                .other_action = "issued the bulk copy, but did not commit it before the wait",
                .message = "A wait covers only committed bulk groups, and this copy was not committed before the wait.",
                .remedy = "Execute cp.async.bulk.commit_group between the copy and the wait.",
                .also = {{bulk->wait_pc, "the wait"}},
            };
        const CopyFacts* copy = conflict->copy();
        if (!copy || copy->stage != CopyFacts::Stage::uncommitted)
            return std::nullopt;
        return Explanation{
            .action = in_flight(*conflict),
            .other_action = copy->group ? "issued the copy, but committed it only after the wait"
                                        : "issued the copy, but did not commit it",
            .message = "A wait covers only committed groups, and this copy was not committed before the wait.",
            .remedy = "Commit (__pipeline_commit(), cp.async.commit_group) between the copy and the wait.",
            .also = {{copy->wait->pc, "the last wait: for " + all_but(copy->wait->n)}},
        };
    },
    .suspected = {{"cp.async.bulk.commit", 2}, {"cp.async.commit", 1}, {"cp.async.mbarrier.arrive", 4}},
    .wrong = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[64], out[64];

__global__ void twice() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int));
    __pipeline_wait_prior(0); // wrong: no group has been committed yet
    __pipeline_commit();
    out[i] = 2 * tile[i];
}

int main() {
    twice<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    __pipeline_wait_prior(0); // wrong: no group has been committed yet
     __pipeline_commit();
+    __pipeline_wait_prior(0);
)",
};

} // namespace sim::hazards
