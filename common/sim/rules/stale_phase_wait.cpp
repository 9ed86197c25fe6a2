#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

/// The last of so many phases.
std::string phase_before(uint32_t complete) {
    return complete ? phase_text(complete - 1) : "the phase before the first (parity 1)";
}

std::string complete(uint32_t count) {
    return count == 1 ? "1 phase is complete" : fmt::format("{} phases are complete", count);
}

std::optional<Explanation> phase_missed(const OrderFault& fault) {
    if (fault.what == OrderFault::What::missed)
        return Explanation{
            .action = fmt::format("waited for {}, which is over if the warps run in another order",
                                  phase_before(fault.meant)),
            .other_action = "completed the phase after it without waiting for that thread",
            .message =
                fmt::format("A wait can ask only for the current phase of {} and for the one before. In this run "
                            "it came in time, but nothing prevents an order in which {} before this "
                            "thread looks. It then waits for a later phase, or for ever. Such an order:{}",
                            fault.barrier, complete(fault.now), fault.order),
            .remedy = "Do not let the barrier go on before each thread that waits for a phase has seen it: the thread "
                      "that completes the next phase must wait for an arrival of this one, usually on a second "
                      "(\"empty\") barrier whose count includes it.",
        };
    if (fault.what == OrderFault::What::early)
        return Explanation{
            .action = fmt::format("waited for {}, and does not wait for it if the warps run in another order",
                                  phase_before(fault.meant)),
            .message = fmt::format("A parity does not distinguish a phase of {} from the one two phases before. In "
                                   "another order only {} when this thread looks, and the wait returns at "
                                   "once. Such an order:{}",
                                   fault.barrier, complete(fault.now), fault.order),
            .remedy = "Wait for the phases in turn, or order the wait after the completion of the phase before.",
        };
    return std::nullopt;
}

} // namespace

const Rule rule::stale_phase_wait{
    .name = "stale-phase-wait",
    .title = "A wait names a phase that is older than the preceding one",
    .why = R"(A thread can wait only for the current phase of an mbarrier (not complete) and for the preceding one
        (complete). The token that an arrival returns names the phase it counted for. If more than one phase has
        completed since, waiting with that token is undefined: an H100 compares only parities, so the wait may return
        at once, or never.)",
    .remedy = "Keep the token of the current phase, and wait with it before the following phase completes.",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#parallel-synchronization-and-communication-instructions-mbarrier-test-wait-mbarrier-try-wait",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto* order = facts.as<OrderFault>())
            return phase_missed(*order);
        const auto* token = facts.as<events::OldToken>();
        if (!token)
            return std::nullopt;
        return Explanation{
            .action = "waited with the token of an old phase",
            .message = fmt::format("The token belongs to phase {}, but the barrier is in phase "
                                   "{}. A wait may name only the current and the preceding phase.",
                                   token->token_phase, token->phase),
        };
    },
    .wrong = R"cuda(#include <cuda_awbarrier_primitives.h>

__device__ int count;

__global__ void rounds() {
    __shared__ __mbarrier_t barrier;
    if (threadIdx.x == 0)
        __mbarrier_init(&barrier, 64);
    __syncthreads();
    const __mbarrier_token_t first = __mbarrier_arrive(&barrier);
    __mbarrier_token_t token = first;
    for (int round = 0; round < 3; ++round) {
        while (!__mbarrier_test_wait(&barrier, token)) {
        }
        if (round < 2)
            token = __mbarrier_arrive(&barrier);
    }
    while (!__mbarrier_test_wait(&barrier, first)) { // wrong: the token of the first of three phases
    }
    if (threadIdx.x == 0)
        count = 4;
}

int main() {
    rounds<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    const __mbarrier_token_t first = __mbarrier_arrive(&barrier);
-    __mbarrier_token_t token = first;
-    for (int round = 0; round < 3; ++round) {
+    __mbarrier_token_t token = __mbarrier_arrive(&barrier);
+    for (int round = 0; round < 4; ++round) {

-        if (round < 2)
-            token = __mbarrier_arrive(&barrier);
-    }
-    while (!__mbarrier_test_wait(&barrier, first)) { // wrong: the token of the first of three phases
+        token = __mbarrier_arrive(&barrier);
)",
};

} // namespace sim::hazards
