#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

std::optional<Explanation> explain(const Facts& facts) {
    if (const auto* init = facts.as<events::BarrierCountOutOfRange>())
        return Explanation{
            .action = fmt::format("initialise an mbarrier with count {}", init->count),
            .message = fmt::format("The count of an mbarrier is 1 to {}.", init->most),
        };
    if (const auto* arrival = facts.as<events::ArrivalTooMany>())
        return Explanation{
            .action = "arrive at an mbarrier phase that lacks no more arrivals",
            .message = fmt::format("The barrier expects {} arrivals in a phase; {} have been made and {} more come here{}.",
                                   arrival->expected, arrival->made, arrival->more,
                                   arrival->tx ? fmt::format(", while {} bytes are outstanding", arrival->tx) : ""),
        };
    if (const auto* lanes = facts.as<events::LanesArriveTogether>())
        return Explanation{
            .action = "arrive together at an mbarrier",
            .message = fmt::format("{} lanes arrive here, and a phase of the mbarrier has only {} arrival{}: they end "
                                   "several phases at once, for which nobody can wait.",
                                   lanes->lanes, lanes->expected, lanes->expected == 1 ? "" : "s"),
            .remedy = "Let one thread arrive, or let mbarrier.init count every thread that arrives in a phase.",
        };
    if (const auto* count = facts.as<events::TxCountOutOfRange>())
        return Explanation{
            .action = "expect more bytes than an mbarrier counts",
            .message = count->what + ".",
            .remedy = "Expect and wait for less at a time, or use several barriers.",
        };
    return std::nullopt;
}

} // namespace

extern const Rule barrier_overflow;
const Rule barrier_overflow{
    .name = "barrier-overflow",
    .title = "More arrivals than a phase of the mbarrier expects",
    .why = "Arrivals count down from the number that mbarrier.init was given, which lies between 1 and 1048575. "
           "An arrival that would take the pending count below zero is undefined. It also means that the phase "
           "completes before everybody who arrives has done so.",
    .remedy = "Give mbarrier.init the sum of all arrivals of one phase.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
              "index.html#parallel-synchronization-and-communication-instructions-mbarrier-arrive",
    .explain = explain,
    .suspected = {{"cp.async.mbarrier.arrive", 5}, {"mbarrier.t", 5}, {"mbarrier.arrive.expect_tx", 4}, {"mbarrier.expect_tx", 4}},
    .suspected_with = "mbarrier",
    .wrong = R"cuda(__device__ int out[64];

__global__ void warps() {
    __shared__ unsigned long long barrier;
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 48;" ::"r"(address) : "memory"); // wrong: 2 warps arrive, 32 each
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
    .right = R"cuda(__device__ int out[64];

__global__ void warps() {
    __shared__ unsigned long long barrier;
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(address) : "memory"); // 2 warps, 32 each
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
};

} // namespace sim::hazards
