#include "sim/rules/rule.h"

namespace sim::hazards::barrier_reinitialised {

namespace {

std::optional<Explanation> explain(const Facts& facts) {
    if (facts.as<BarrierEndsInUse>())
        return Explanation{
            .action = "invalidated an mbarrier that another thread may still be using",
            .other_action = "used it",
            .message = "Nothing orders that use before mbarrier.inval, so the mbarrier "
                       "may disappear while the other thread arrives or waits.",
            .remedy = "Put __syncthreads() between the last use of the mbarrier and mbarrier.inval.",
        };
    if (facts.as<events::LiveBarrierInitialised>())
        return Explanation{
            .action = "initialised an mbarrier that is in use",
            .message = "The object at this address is a live mbarrier. A second mbarrier.init discards "
                       "its phase and its pending arrivals, and threads that wait on it may never wake.",
        };
    if (facts.as<events::BarrierOverwritten>())
        return Explanation{
            .action = "used an mbarrier whose bytes were overwritten",
            .message = "An ordinary store has written to the 8 bytes of this mbarrier since mbarrier.init.",
        };
    return std::nullopt;
}

} // namespace

extern const Rule rule;
const Rule rule{
    .name = "barrier-reinitialised",
    .title = "A live mbarrier is initialised again, invalidated, or overwritten",
    .why = "From mbarrier.init to mbarrier.inval the eight bytes of an mbarrier belong to the hardware. "
           "An ordinary store to them, or a second mbarrier.init without mbarrier.inval in between, is "
           "undefined, and so is mbarrier.inval while another thread may still arrive or wait. You never "
           "need to reset a barrier, because a phase that completes leaves it ready for the next one.",
    .remedy = "Initialise the mbarrier once and use its phases. Before you use its "
              "memory for anything else, synchronise and execute mbarrier.inval.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
              "index.html#parallel-synchronization-and-communication-instructions-mbarrier-inval",
    .explain = explain,
    .wrong = R"cuda(#include <cuda_awbarrier_primitives.h>

__device__ int in[2][64], out[2][64];

__global__ void reverse_rows() {
    __shared__ int row[64];
    __shared__ __mbarrier_t barrier;
    const int i = threadIdx.x;
    for (int r = 0; r < 2; ++r) {
        if (i == 0)
            __mbarrier_init(&barrier, 64); // wrong: in the second round the barrier is live
        __syncthreads();
        row[i] = in[r][i];
        const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
        while (!__mbarrier_test_wait(&barrier, token)) {
        }
        out[r][i] = row[63 - i];
        __syncthreads();
    }
}

int main() {
    reverse_rows<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .right = R"cuda(#include <cuda_awbarrier_primitives.h>

__device__ int in[2][64], out[2][64];

__global__ void reverse_rows() {
    __shared__ int row[64];
    __shared__ __mbarrier_t barrier;
    const int i = threadIdx.x;
    if (i == 0)
        __mbarrier_init(&barrier, 64);
    __syncthreads();
    for (int r = 0; r < 2; ++r) {
        row[i] = in[r][i];
        const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
        while (!__mbarrier_test_wait(&barrier, token)) {
        }
        out[r][i] = row[63 - i];
        __syncthreads();
    }
}

int main() {
    reverse_rows<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
};

} // namespace sim::hazards::barrier_reinitialised
