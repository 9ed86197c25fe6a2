#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::leftover_arrivals{
    .name = "leftover-arrivals",
    .severity = Severity::note,
    .title = "A block ends while threads have arrived at a named barrier that is not complete",
    .why = R"(bar.arrive hands something over to threads that wait with bar.sync on the same barrier. If arrivals are
        left over when the block ends, somebody has not waited as often as others have arrived: an arrival may have
        been counted in the wrong phase. (A barrier that passes a turn back and forth may keep the arrivals of its last turn;
        this is harmless.))",
    .remedy = R"(Let as many threads wait (bar.sync) and arrive (bar.arrive) in each turn as the barrier's number of
        threads says, and leave out the arrival of the last turn if nobody waits for it.)",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#parallel-synchronization-and-communication-instructions-bar",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto* order = facts.as<OrderFault>(); order && order->what == OrderFault::What::leftover)
            return Explanation{
                .action = "arrived, and is left over at the end of the block if the warps run in another order",
                .message = fmt::format("In this run {} was complete at the end, but not in this order:{}",
                                       order->barrier, order->order),
            };
        const auto* left = facts.as<LeftoverArrivals>();
        if (!left)
            return std::nullopt;
        return Explanation{
            .action = fmt::format("arrived at named barrier {}, which is not complete when the block ends", left->id),
            .message = fmt::format("{} of {} threads have arrived since the barrier was last complete, and no thread "
                                   "waits for them: either a bar.sync is missing, or the number of threads is wrong.",
                                   left->arrived, left->expected),
        };
    },
    .wrong = R"cuda(__device__ int in[64], out[64];

__global__ void hand_over() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    if (i < 32) {
        tile[i] = in[i];
        tile[i + 32] = in[i + 32];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        asm volatile("bar.arrive 2, 64;" ::: "memory"); // no thread waits for this one
    } else if (i < 64) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[i] = tile[63 - i];
        out[i - 32] = tile[95 - i];
    }
}

int main() {
    hand_over<<<1, 96>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-        asm volatile("bar.arrive 2, 64;" ::: "memory"); // no thread waits for this one
)",
};

} // namespace sim::hazards
