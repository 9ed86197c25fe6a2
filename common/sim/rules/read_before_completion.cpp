#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

std::optional<Explanation> explain(const Facts& facts) {
    const auto* conflict = facts.as<Conflict>();
    if (!conflict)
        return std::nullopt;
    if (const BulkFacts* bulk = conflict->bulk();
        bulk && bulk->stage == BulkFacts::Stage::pending && conflict->other_wrote)
        return Explanation{
            .action = in_flight(*conflict),
            .other_action = "issued the bulk copy",
            .message = "The last wait leaves the bulk group of this copy pending: it waits for all but the most recent "
                       "groups.",
            .remedy = "Wait for all but fewer bulk groups here.",
            .also = {{bulk->wait_pc, "the wait"}},
        };
    const CopyFacts* copy = conflict->copy();
    if (!copy || copy->stage != CopyFacts::Stage::pending || conflict->writes())
        return std::nullopt;
    const uint32_t n = copy->wait->n, younger = copy->groups - copy->group;
    const std::string after = younger == 0
                                  ? "it is the youngest one itself"
                                  : fmt::format("only {} group{} been committed after it", younger,
                                                younger == 1 ? " has" : "s have");
    return Explanation{
        .action = in_flight(*conflict),
        .other_action = issued(*copy),
        .message = fmt::format("Waiting for {} leaves group {} of {} pending: {}.", all_but(n), copy->group, copy->groups,
                               after),
        .remedy = fmt::format("Wait with N = {} here, or keep committing groups (empty ones count) so that {} follow{} "
                              "the one that is needed.",
                              younger, n, n == 1 ? "s" : ""),
        .also = {{copy->wait->pc, "the last wait: for " + all_but(n)}},
    };
}

} // namespace

extern const Rule read_before_completion;
const Rule read_before_completion{
    .name = "read-before-completion",
    .title = "Bytes are read while an asynchronous copy is still writing them",
    .why = "cp.async.wait_group N waits until at most N of this thread's youngest groups are incomplete. N "
           "counts groups, also empty ones, not copies. If fewer than N groups were committed after the one that "
           "is needed, the wait leaves exactly that one pending. This is how the last tiles of a pipeline go "
           "wrong when committing stops with the copies.",
    .remedy = "Let the wait cover the group that is read: a smaller N, or (empty) groups committed after it.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
              "index.html#data-movement-and-conversion-instructions-cp-async-wait-group",
    .explain = explain,
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
    .right = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[2][64], out[2][64];

__global__ void stages() {
    __shared__ int tile[2][64];
    const int i = threadIdx.x;
    for (int s = 0; s < 2; ++s) {
        __pipeline_memcpy_async(&tile[s][i], &in[s][i], sizeof(int));
        __pipeline_commit();
    }
    for (int s = 0; s < 2; ++s) {
        __pipeline_wait_prior(1);
        out[s][i] = tile[s][i];
        __pipeline_commit(); // an empty group: in the second round it is the youngest one
    }
}

int main() {
    stages<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
};

} // namespace sim::hazards
