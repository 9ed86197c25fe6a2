#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::barrier_overflow{
    .name = "barrier-overflow",
    .title = "A barrier counts more arrivals in a phase than it expects",
    .why = R"(Each phase counts arrivals down from the number that mbarrier.init was given, which must be between 1
        and 1048575. An arrival that would take the pending count below zero is undefined. A count that is too small
        also lets the phase complete before every thread has arrived. The bytes that a phase still expects (its
        tx-count) must stay within 1048575 of 0. A named barrier (bar.sync, bar.arrive) expects each warp once in a
        phase: if a warp executes bar.arrive and then another bar instruction on the same barrier before it is
        complete, the second arrival takes the place of another warp's.)",
    .remedy = R"(Pass mbarrier.init the number of all arrivals of one phase. Let each warp arrive once in each phase
        of a named barrier.)",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#parallel-synchronization-and-communication-instructions-mbarrier-arrive",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto* init = facts.as<events::BarrierCountOutOfRange>())
            return Explanation{
                .action = fmt::format("initialised an mbarrier with count {}", init->count),
                .message = fmt::format("The count of mbarrier.init must be between 1 and {}.", init->most),
                .remedy = count_all,
            };
        if (const auto* arrival = facts.as<events::ArrivalTooMany>())
            return Explanation{
                .action = "arrived on an mbarrier whose phase expects no more arrivals",
                .message =
                    fmt::format("A phase of the mbarrier {} expects {} arrival{}: {} {} "
                                "been made, and this instruction makes {} more{}.",
                                arrival->name, arrival->expected, arrival->expected == 1 ? "" : "s", arrival->made,
                                arrival->made == 1 ? "has" : "have", arrival->more,
                                arrival->tx ? fmt::format(", while {} bytes are still outstanding", arrival->tx) : ""),
                .remedy = count_all,
            };
        if (const auto* order = facts.as<OrderFault>(); order && order->what == OrderFault::What::overflow)
            return Explanation{
                .action = "arrived in time, but too often for a phase if the warps run in another order",
                .message =
                    fmt::format("This run was in time, but nothing makes this arrival on {} wait until the phase "
                                "before is complete. An order in which it comes too soon:{}",
                                order->barrier, order->order),
                .remedy = "Let these threads wait for the phase before, or for a barrier that is complete only after "
                          "it, before they arrive again.",
            };
        if (const auto* again = facts.as<ArrivedAgain>())
            return Explanation{
                .action = fmt::format("arrived at named barrier {} again before it was complete", again->id),
                .other_action = "had arrived there already",
                .message =
                    fmt::format("The barrier counts {} threads and does not know which ones. The second arrival of a "
                                "warp takes another warp's place, so the barrier may complete before that warp has "
                                "arrived, and what that one does then counts in the next phase.",
                                again->expected),
                .remedy =
                    again->waits
                        ? "Use bar.arrive or bar.sync on a barrier, not both in one phase: bar.sync arrives by "
                          "itself. A warp that both signals and waits needs two barriers."
                        : "Let the warp wait until the barrier is complete before it arrives again, for example on a second "
                          "barrier on which the consumers arrive.",
            };
        if (const auto* lanes = facts.as<events::LanesArriveTogether>())
            return Explanation{
                .action = "arrived together on an mbarrier",
                .message =
                    fmt::format("{} lanes arrive here, but a phase of the mbarrier {} expects only {} arrival{}, so "
                                "one instruction completes several phases and no thread can wait for each of them.",
                                lanes->lanes, lanes->name, lanes->expected, lanes->expected == 1 ? "" : "s"),
                .remedy = "Let only one thread arrive, or pass mbarrier.init "
                          "the number of threads that arrive in a phase.",
            };
        if (const auto* count = facts.as<events::TxCountOutOfRange>())
            return Explanation{
                .action = "moved the tx-count of an mbarrier out of its range",
                .message = count->what + ".",
                .remedy = "Expect fewer bytes per phase, or use several mbarriers.",
            };
        return std::nullopt;
    },
    .suspected = {{"cp.async.mbarrier.arrive", 5},
                  {"mbarrier.t", 5},
                  {"mbarrier.arrive.expect_tx", 4},
                  {"mbarrier.expect_tx", 4}},
    .suspected_with = "mbarrier",
    .wrong = R"cuda(__device__ int out[64];

__global__ void warps() {
    __shared__ unsigned long long barrier;
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 48;" ::"r"(address) : "memory"); // wrong: 2 warps of 32 arrive
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0], 32; }" ::"r"(address) : "memory");
    int done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(address) : "memory");
    out[threadIdx.x] = done;
}

int main() {
    warps<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-        asm volatile("mbarrier.init.shared.b64 [%0], 48;" ::"r"(address) : "memory"); // wrong: 2 warps of 32 arrive
+        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(address) : "memory"); // 2 warps of 32
)",
};

} // namespace sim::hazards
