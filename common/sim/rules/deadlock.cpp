#include "sim/rules/rule.h"

namespace sim::hazards {

namespace {

std::optional<Explanation> explain(const Facts& facts) {
    const auto* stop = facts.stopped(events::Stopped::Why::deadlock);
    if (!stop)
        return std::nullopt;
    return Explanation{.action = "stopped here", .message = stop->what};
}

} // namespace

extern const Rule deadlock;
const Rule deadlock{
    .name = "deadlock",
    .title = "Nothing can run any more",
    .why = "Every thread that is left waits for something that no thread will do: for arrivals at a barrier, for "
           "a phase of an mbarrier, for bytes that nobody copies. On a GPU the kernel hangs. The report lists "
           "who waits where, for what, and what is missing. The usual causes are an arrival count that is too "
           "large, a stage that is never released, the wrong parity, and an expect_tx of more bytes than are "
           "copied.",
    .remedy = "Compare what each barrier expects with who arrives, and how often.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
              "index.html#parallel-synchronization-and-communication-instructions-mbarrier",
    .explain = explain,
    .suspected = {{"cp.async.bulk.commit", 4}, {"cp.async.commit", 4}, {"cp.async.mbarrier.arrive", 2}, {"mbarrier.t", 6}, {"mbarrier.arrive.expect_tx", 1}, {"mbarrier.expect_tx", 1}, {"mbarrier.arrive", 1}, {"bar", 8}, {"fence.mbarrier_init", 4}, {"", 4}},
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

} // namespace sim::hazards
