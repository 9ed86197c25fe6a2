#include "sim/rules/rule.h"

namespace sim::hazards {

namespace {

std::optional<Explanation> explain(const Facts& facts) {
    if (facts.as<BarrierEndsInUse>())
        return Explanation{
            .action = "invalidated an mbarrier that another thread may still be using",
            .other_action = "used it",
            .message = "Nothing orders that use before mbarrier.inval.",
            .remedy = "Synchronise (__syncthreads()) between the last use of the mbarrier and mbarrier.inval.",
        };
    if (facts.as<events::LiveBarrierInitialised>())
        return Explanation{
            .action = "initialise an mbarrier that is in use",
            .message = "The object at this address is a live mbarrier: its waiters and pending arrivals are lost.",
        };
    if (facts.as<events::BarrierOverwritten>())
        return Explanation{
            .action = "use an mbarrier whose bytes were overwritten",
            .message = "Something has stored to the 8 bytes of this mbarrier since it was initialised.",
        };
    return std::nullopt;
}

} // namespace

extern const Rule barrier_reinitialised;
const Rule barrier_reinitialised{
    .name = "barrier-reinitialised",
    .title = "A live mbarrier is initialised again, invalidated, or overwritten",
    .why = "Once initialised, the eight bytes of an mbarrier belong to the hardware: ordinary stores to them, "
           "and a second mbarrier.init without mbarrier.inval in between, are undefined, and so is "
           "mbarrier.inval while another thread may still arrive or wait. There is no need to "
           "reset a barrier: each completed phase leaves it ready for the next one.",
    .remedy = "Initialise once and use its phases; or execute mbarrier.inval, and synchronise, before the memory is "
              "used for anything else.",
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
            __mbarrier_init(&barrier, 64); // wrong: in the second round the barrier is alive
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

} // namespace sim::hazards
