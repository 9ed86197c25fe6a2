#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::wrong_wait_mechanism{
    .name = "wrong-wait-mechanism",
    .title = "The wait does not track this copy",
    .why = R"(Each asynchronous copy completes through one mechanism. cp.async completes through the groups of its
        thread, or through an mbarrier if the thread executes cp.async.mbarrier.arrive on it. A bulk copy completes
        through the mbarrier it names, or through the bulk groups of its thread, which are separate from cp.async
        groups. An ordinary arrival on an mbarrier releases the thread's accesses, not its copies.)",
    .remedy = R"(Wait through the mechanism that completes the copy. To complete cp.async on an mbarrier, arrive with
        __pipeline_arrive_on (cp.async.mbarrier.arrive) after the copies.)",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#parallel-synchronization-and-communication-instructions-cp-async-mbarrier-arrive",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* conflict = facts.as<Conflict>();
        if (!conflict)
            return std::nullopt;
        if (const BulkFacts* bulk = conflict->bulk(); bulk && bulk->stage == BulkFacts::Stage::waited_as_copy)
            return Explanation{
                .action = in_flight(*conflict),
                .other_action = "issued the bulk copy",
                .message = "The issuer waited for cp.async groups. Bulk copies have their "
                           "own groups, and cp.async.wait_group does not wait for them.",
                .remedy = "Use cp.async.bulk.commit_group and cp.async.bulk.wait_group.",
                .also = {{bulk->wait_pc, "the wait for cp.async groups"}},
            };
        const CopyFacts* copy = conflict->copy();
        if (!copy || !copy->issuer || copy->stage != CopyFacts::Stage::unwaited || conflict->writes() || copy->tracked)
            return std::nullopt;
        if (copy->arrival)
            return Explanation{
                .action = in_flight(*conflict),
                .other_action = issued(*copy),
                .message = "The issuer arrived on the mbarrier that this thread waited for, but an ordinary "
                           "arrival does not track copies, so the phase can complete before they do.",
                .remedy =
                    "Arrive with cp.async.mbarrier.arrive.noinc (or __pipeline_arrive_on) after the copies, or wait for "
                    "the copies before arriving.",
                .also = {{copy->arrival->pc, "the arrival"}},
            };
        const WarpHistory& history = copy->issuer->history;
        if (!history.last_bulk_wait_pc || history.last_bulk_wait_copies < copy->index)
            return std::nullopt;
        return Explanation{
            .action = in_flight(*conflict),
            .other_action = issued(*copy),
            .message = "The issuer waited for bulk groups. cp.async has its own "
                       "groups, and cp.async.bulk.wait_group does not wait for them.",
            .remedy = "Use cp.async.commit_group and cp.async.wait_group.",
            .also = {{history.last_bulk_wait_pc, "the wait for bulk groups"}},
        };
    },
    .suspected = {{"cp.async.wait", 6}, {"cp.async.mbarrier.arrive", 1}},
    .wrong = R"cuda(#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

__device__ int in[64], out[64];

__global__ void reverse() {
    __shared__ int tile[64];
    __shared__ __mbarrier_t barrier;
    const int i = threadIdx.x;
    if (i == 0)
        __mbarrier_init(&barrier, 64);
    __syncthreads();
    __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int));
    // wrong: this arrival does not wait for the copy
    const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    while (!__mbarrier_test_wait(&barrier, token)) {
    }
    out[i] = tile[63 - i];
}

int main() {
    reverse<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    // wrong: this arrival does not wait for the copy
+    __pipeline_arrive_on(&barrier); // the phase cannot complete before the copy
)",
};

} // namespace sim::hazards
