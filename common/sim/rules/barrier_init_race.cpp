#include "sim/rules/list.h"

namespace sim::hazards {

const Rule rule::barrier_init_race{
    .name = "barrier-init-race",
    .title = "The initialisation of an mbarrier is not ordered before its use",
    .why = R"(mbarrier.init is an ordinary write to shared memory. Other threads may use the barrier only after they
        have synchronised with the thread that initialised it: through __syncthreads() within a block, and through
        a cluster barrier for the other blocks of a cluster (if its arrival is relaxed, fence.mbarrier_init must come
        before it).)",
    .remedy = R"(Put __syncthreads() between the initialisation and the first use (cluster.sync() if another block
        uses the barrier).)",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#parallel-synchronization-and-communication-instructions-mbarrier-init",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* race = facts.as<BarrierInitRace>();
        if (!race)
            return std::nullopt;
        return Explanation{
            .action = race->other_block ? "used an mbarrier that a thread of another block initialised"
                                        : "used an mbarrier that another thread initialised",
            .other_action = "initialised it",
            .message = "mbarrier.init is an ordinary write, so other threads may use the barrier "
                       "only after they have synchronised with the thread that executed it.",
            .remedy =
                race->other_block
                    ? "Put a barrier of the cluster (cluster.sync()) between the initialisation and the first use by "
                      "another block. If its arrival is relaxed, the thread that executes mbarrier.init must execute "
                      "fence.mbarrier_init before it."
                    : "Put __syncthreads() between the initialisation and the first use (for the "
                      "other blocks of a cluster: cluster.sync()).",
        };
    },
    .suspected = {{"bar", 5}, {"fence.mbarrier_init", 1}},
    .suspected_with = "mbarrier",
    .wrong = R"cuda(#include <cuda_awbarrier_primitives.h>

__device__ int in[64], out[64];

__global__ void reverse() {
    __shared__ int tile[64];
    __shared__ __mbarrier_t barrier;
    const int i = threadIdx.x;
    if (i == 0)
        __mbarrier_init(&barrier, 64);
    // wrong: other threads may get here first
    tile[i] = in[i];
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
-    // wrong: other threads may get here first
+    __syncthreads();
)",
};

} // namespace sim::hazards
