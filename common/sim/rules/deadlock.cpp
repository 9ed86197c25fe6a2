#include <fmt/format.h>

#include "sim/rules/list.h"

namespace sim::hazards {

namespace {

Explanation waits_first(const ProducerWaitsFirst& first) {
    return {
        .action = "waited for parity 0 before filling anything",
        .other_action = "waited for that first, and would arrive only afterwards",
        .message = fmt::format(
            "Since its initialisation, {} has been in phase 0 (parity 0), and no thread has arrived on it: the threads "
            "that would arrive wait for {} first, which only the producer completes. The phase before the "
            "first counts as complete, so a wait for parity 1 would return at once.\n{}",
            first.barrier, first.awaited, first.what),
        .remedy = "Start the producer with the opposite parity: let it wait for parity 1 in its first lap over the "
                  "buffers, then for 0, 1, … The consumers start with parity 0.",
        .also = {{first.init_pc, "initialised here"}},
    };
}

Explanation stuck(const StuckPhase& phase) {
    using Why = StuckPhase::Why;
    Explanation text{.action = "stopped here", .message = phase.what};
    const std::string count =
        fmt::format("{} counts {} arrival{} in a phase", phase.barrier, phase.count, phase.count == 1 ? "" : "s");
    switch (phase.why) {
    case Why::arrivals:
        text.cause = {phase.init_pc, count};
        for (const uint32_t pc : phase.pcs)
            text.also.emplace_back(pc, fmt::format("{} arrived on it", phase.arrived.text()));
        text.remedy = "Pass mbarrier.init the number of arrivals that one phase gets, or let the threads that it "
                      "counts arrive.";
        break;
    case Why::bytes:
        if (phase.pcs.size() == 1)
            text.cause = {phase.pcs.front(), "announced the bytes of this phase"};
        text.remedy = "Announce as many bytes as the copies of one phase write. Each thread that executes expect_tx "
                      "adds its bytes.";
        break;
    case Why::no_arrival:
        text.cause = {phase.init_pc, count};
        text.message =
            fmt::format("Copies complete on {}, but no thread has arrived on it in this phase: neither a copy "
                        "nor mbarrier.expect_tx is an arrival.\n{}",
                        phase.barrier, phase.what);
        text.remedy = "Let a thread of each block that receives bytes announce them and arrive on the mbarrier of that "
                      "block (mbarrier.arrive.expect_tx).";
        break;
    }
    return text;
}

Explanation stuck_in_another_order(const OrderFault& fault) {
    return {
        .action = "waited here, and waits for ever if the warps run in another order",
        .message = fmt::format("This run came to its end, but the barriers allow an order in which no thread can make "
                               "progress:{}\nThat order:{}",
                               fault.waiting, fault.order),
        .remedy = "Make each warp wait for whatever has to come before its arrival, or give each pair of roles a "
                  "barrier of its own whose count is the number of threads that meet there.",
    };
}

Explanation registers_released_too_late(const OrderFault& fault) {
    return {
        .action = "asked for registers that other warps release only after something that waits for this",
        .message = fmt::format("On the simulated device no warp waits for registers, so this run came to its end. On a "
                               "GPU, setmaxnreg.inc waits until other warps of the block have released enough of them, "
                               "and no thread can make progress:{}",
                               fault.waiting),
        .remedy = "Let the other role execute setmaxnreg.dec before it waits for anything that comes after this "
                  "setmaxnreg.inc: each role changes its registers first.",
    };
}

} // namespace

const Rule rule::deadlock{
    .name = "deadlock",
    .symptom = true,
    .title = "No thread can make progress",
    .why = R"(Every remaining thread waits for something that will never happen: arrivals at a barrier, a phase of an
        mbarrier, or bytes that no copy delivers. On a GPU the kernel hangs. The report lists where each thread waits,
        for what, and what is missing. The usual causes are an arrival count that is too large, a stage that no
        consumer releases, the wrong parity, and an expect_tx of more bytes than are copied. mbarrier.expect_tx alone
        is not an arrival. Warps that ask for more registers than the block has (setmaxnreg.inc) wait for ever, too.)",
    .remedy = R"(Compare the number of arrivals and bytes that each barrier expects with those that the kernel
        provides in a phase.)",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#parallel-synchronization-and-communication-instructions-mbarrier",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto* registers = facts.as<events::RegistersMissing>())
            return Explanation{
                .action = "asked for registers that no other warp releases",
                .message =
                    fmt::format("After their last setmaxnreg, the warps of the block want {} registers together, "
                                "but the {} threads of the block cannot have been launched with more than {} each, "
                                "which makes {}. On a GPU, setmaxnreg.inc waits for ever.",
                                registers->wanted, registers->threads, registers->per_thread,
                                uint64_t{registers->per_thread} * ((registers->threads + 31) / 32 * 32)),
                .remedy = "Ask for fewer registers here, or let other warps release more (setmaxnreg.dec).",
            };
        if (const auto* first = facts.as<ProducerWaitsFirst>())
            return waits_first(*first);
        if (const auto* phase = facts.as<StuckPhase>())
            return stuck(*phase);
        if (const auto* order = facts.as<OrderFault>(); order && order->what == OrderFault::What::deadlock)
            return stuck_in_another_order(*order);
        if (const auto* order = facts.as<OrderFault>(); order && order->what == OrderFault::What::registers)
            return registers_released_too_late(*order);
        const auto* stop = facts.stopped(events::Stopped::Why::deadlock);
        if (!stop)
            return std::nullopt;
        Explanation text{.action = "stopped here", .message = stop->what};
        if (stop->of == events::Stopped::Of::lock_in_warp) {
            text.action = "ask for a lock that a lane of their warp holds while it waits for them";
            text.remedy =
                "A lane that holds a lock must not wait for lanes of its warp that may ask for the same lock. Do "
                "the work and release the lock within the branch of the lane that has got it, and synchronise "
                "the warp after the loop.";
        }
        return text;
    },
    .suspected = {{"cp.async.bulk.commit", 4},
                  {"cp.async.commit", 4},
                  {"cp.async.mbarrier.arrive", 2},
                  {"mbarrier.t", 6},
                  {"mbarrier.arrive.expect_tx", 1},
                  {"mbarrier.expect_tx", 1},
                  {"mbarrier.arrive", 1},
                  {"bar", 8},
                  {"fence.mbarrier_init", 4},
                  {"", 4}},
    .wrong = R"cuda(#include <cuda_awbarrier_primitives.h>

__device__ int in[64], out[64];

__global__ void reverse() {
    __shared__ int tile[64];
    __shared__ __mbarrier_t barrier;
    const int i = threadIdx.x;
    if (i == 0)
        __mbarrier_init(&barrier, 65); // wrong: 64 threads arrive
    __syncthreads();
    tile[i] = in[i];
    const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    while (!__mbarrier_try_wait(&barrier, token, 1000)) {
    }
    out[i] = tile[63 - i];
}

int main() {
    reverse<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-        __mbarrier_init(&barrier, 65); // wrong: 64 threads arrive
+        __mbarrier_init(&barrier, 64);
)",
};

} // namespace sim::hazards
