#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::read_before_completion{
    .name = "read-before-completion",
    .title = "Bytes are read while an asynchronous copy is still writing them",
    .why = R"(cp.async.wait_group N waits until at most N of this thread's youngest groups are incomplete. N counts
        groups, including empty ones, not copies. If the thread has committed fewer than N groups after the group that
        it needs, the wait leaves exactly that group pending. The last tiles of a pipeline go wrong in this way when
        the thread stops committing groups because it has no more copies.)",
    .remedy = "Use a smaller N in the wait, or commit (empty) groups after the group that is read.",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#data-movement-and-conversion-instructions-cp-async-wait-group",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* conflict = facts.as<Conflict>();
        if (!conflict)
            return std::nullopt;
        if (const BulkFacts* bulk = conflict->bulk();
            bulk && bulk->stage == BulkFacts::Stage::pending && conflict->other_wrote)
            return Explanation{
                .action = in_flight(*conflict),
                .other_action = "issued the bulk copy",
                .message = "The last wait allows the most recent bulk groups to stay "
                           "pending, and the group of this copy is one of them.",
                .remedy = "Use a smaller N in this cp.async.bulk.wait_group.",
                .also = {{bulk->wait_pc, "the wait"}},
            };
        const CopyFacts* copy = conflict->copy();
        if (!copy || copy->stage != CopyFacts::Stage::pending || conflict->writes())
            return std::nullopt;
        const uint32_t n = copy->wait->n, younger = copy->groups - copy->group;
        const std::string after = younger == 0 ? "it is the youngest group itself"
                                               : fmt::format("only {} group{} been committed after it", younger,
                                                             younger == 1 ? " has" : "s have");
        constexpr const char* tail = " In a loop's tail fewer groups follow in each round, so N has to fall there "
                                     "until it is 0.";
        return Explanation{
            .action = in_flight(*conflict),
            .other_action = issued(*copy),
            .message = fmt::format("A wait for {} leaves group {} of {} pending: {}.", all_but(n), copy->group,
                                   copy->groups, after),
            .remedy = younger == 0
                          ? fmt::format("Keep committing groups (empty groups count) so that {} follow{} the "
                                        "group that this access needs, or use N = 0 in this wait, behind which "
                                        "no copy is in flight.",
                                        n, n == 1 ? "s" : "")
                          : fmt::format("Use N = {} in this wait, or keep committing groups (empty groups "
                                        "count) so that {} follow{} the group that this access needs.{}",
                                        younger, n, n == 1 ? "s" : "", tail),
            .also = {{copy->wait->pc, "the last wait: for " + all_but(n)}},
        };
    },
    .suspected = {{"cp.async.wait", 2}, {"cp.async.commit", 2}},
    .wrong = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[2][64], out[2][64];

__global__ void stages() {
    __shared__ int tile[2][64];
    const int i = threadIdx.x;
    for (int s = 0; s < 2; ++s) {
        __pipeline_memcpy_async(&tile[s][i], &in[s][i], sizeof(int));
        __pipeline_commit();
    }
    for (int s = 0; s < 2; ++s) {
        __pipeline_wait_prior(1); // wrong: in the second round this leaves group 2 pending
        out[s][i] = tile[s][i];
    }
}

int main() {
    stages<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-        __pipeline_wait_prior(1); // wrong: in the second round this leaves group 2 pending
+        __pipeline_wait_prior(1);
         out[s][i] = tile[s][i];
+        __pipeline_commit(); // an empty group: in the second round it is the youngest one
)",
};

} // namespace sim::hazards
