#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule early_phase;
const Rule early_phase{
    .name = "early-phase",
    .title = "A phase completes before everything it stands for",
    .why = "Waiting for a phase of an mbarrier orders a thread after the arrivals, and the bytes, of that phase "
           "and no others. If the barrier expects fewer arrivals than there are writers, or fewer bytes than are "
           "copied, or if an arrival does not belong where it is, the phase is over while some of the data it "
           "stands for is still missing.",
    .remedy = "Let mbarrier.init count every thread that arrives in a phase, expect every byte of it, and arrive "
              "only after the data.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#contents-of-the-mbarrier-object",
    .wrong = R"cuda(#include <cuda_awbarrier_primitives.h>

__device__ int in[64], out[32];

__global__ void add_pairs() {
    __shared__ int tile[64];
    __shared__ __mbarrier_t filled;
    const int i = threadIdx.x;
    if (i == 0)
        __mbarrier_init(&filled, 33); // wrong: 64 threads fill the tile and arrive
    __syncthreads();
    if (i >= 32) {
        tile[i - 32] = in[i - 32];
        __mbarrier_arrive(&filled);
    } else {
        while (!__mbarrier_test_wait_parity(&filled, 0)) {
        }
        out[i] = tile[2 * i] + tile[2 * i + 1];
    }
}

int main() {
    add_pairs<<<1, 96>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .right = R"cuda(#include <cuda_awbarrier_primitives.h>

__device__ int in[64], out[32];

__global__ void add_pairs() {
    __shared__ int tile[64];
    __shared__ __mbarrier_t filled;
    const int i = threadIdx.x;
    if (i == 0)
        __mbarrier_init(&filled, 64);
    __syncthreads();
    if (i >= 32) {
        tile[i - 32] = in[i - 32];
        __mbarrier_arrive(&filled);
    } else {
        while (!__mbarrier_test_wait_parity(&filled, 0)) {
        }
        out[i] = tile[2 * i] + tile[2 * i + 1];
    }
}

int main() {
    add_pairs<<<1, 96>>>();
    return cudaDeviceSynchronize();
}
)cuda",
};

} // namespace sim::hazards
