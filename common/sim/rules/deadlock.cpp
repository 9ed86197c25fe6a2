#include <fmt/format.h>

#include "sim/rules/rule.h"

namespace sim::hazards::deadlock {

namespace {

std::optional<Explanation> explain(const Facts& facts) {
    if (const auto* again = facts.as<DeadlockAfterArrival>())
        return Explanation{
            .action = "stopped here",
            .message = again->what,
            .remedy = fmt::format("Let these threads wait until barrier {0} has completed before they arrive on it "
                                  "again, or let two barriers take turns. Barrier {0} counts arrivals, not threads.",
                                  again->id),
            .cause = {again->pc, fmt::format("{} arrived on block barrier {} twice in one phase", again->threads.text(),
                                             again->id)},
        };
    const auto* stop = facts.stopped(events::Stopped::Why::deadlock);
    if (!stop)
        return std::nullopt;
    return Explanation{.action = "stopped here", .message = stop->what};
}

} // namespace

extern const Rule rule;
const Rule rule{
    .name = "deadlock",
    .title = "No thread can make progress",
    .why = "Every remaining thread waits for something that will never happen: arrivals at a barrier, a phase of "
           "an mbarrier, or bytes that no copy delivers. On a GPU the kernel hangs. The report lists where each "
           "thread waits, for what, and what is missing. The usual causes are an arrival count that is too large, "
           "a stage that no consumer releases, the wrong parity, and an expect_tx of more bytes than are copied.",
    .remedy = "Compare the number of arrivals and bytes that each barrier "
              "expects with those that the kernel provides in a phase.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
              "index.html#parallel-synchronization-and-communication-instructions-mbarrier",
    .explain = explain,
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
    .right = R"cuda(#include <cuda_awbarrier_primitives.h>

__device__ int in[64], out[64];

__global__ void reverse() {
    __shared__ int tile[64];
    __shared__ __mbarrier_t barrier;
    const int i = threadIdx.x;
    if (i == 0)
        __mbarrier_init(&barrier, 64);
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
};

} // namespace sim::hazards::deadlock
