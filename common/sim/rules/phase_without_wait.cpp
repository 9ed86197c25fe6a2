#include "sim/rules/library_words.h"
#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::phase_without_wait{
    .name = "phase-without-wait",
    .severity = Severity::note,
    .title = "No thread waits for a phase before arrivals for the next one",
    .why = R"(An mbarrier stores only its current phase. If no thread waits for a phase before threads arrive for the
        next one, arrivals of different phases cannot be told apart, and a late thread may miss its phase altogether.)",
    .remedy = "Let at least one thread wait for each phase before any thread arrives for the next one.",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#parallel-synchronization-and-communication-instructions-mbarrier",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* arrival = facts.as<PhaseUnwaited>();
        if (!arrival)
            return std::nullopt;
        if (is_consumer_release(arrival->call))
            return Explanation{
                .action = "released the stage",
                .message =
                    "The consumers have released this stage again, and no thread has called producer_acquire for "
                    "it in between.",
                .remedy = "Call producer_acquire before the copies of each stage, and consumer_release once after each "
                          "consumer_wait.",
            };
        if (is_producer_commit(arrival->call))
            return Explanation{
                .action = "committed the stage",
                .message = "The producers have committed this stage again, and no thread has called consumer_wait for "
                           "it in between.",
                .remedy = "Call consumer_wait before the first read of each stage.",
            };
        return Explanation{
            .action = "arrived",
            .message = fmt::format("This arrival belongs to phase {} of the "
                                   "mbarrier, and no thread has waited for phase {}.",
                                   arrival->phase, arrival->phase - 1),
        };
    },
    .wrong = R"cuda(#include <cuda_awbarrier_primitives.h>

__device__ int in[64], out[64];

__global__ void reverse() {
    __shared__ int tile[64];
    __shared__ __mbarrier_t barrier;
    const int i = threadIdx.x;
    if (i == 0)
        __mbarrier_init(&barrier, 64);
    __syncthreads();
    __mbarrier_arrive(&barrier); // no thread waits for this phase
    __syncthreads();
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
-    __syncthreads();
-    __mbarrier_arrive(&barrier); // no thread waits for this phase
)",
};

} // namespace sim::hazards
