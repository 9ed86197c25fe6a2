#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule write_after_write_race;
const Rule write_after_write_race{
    .name = "write-after-write-race",
    .title = "Two writes to the same bytes are not ordered",
    .why = "If two threads store different values to the same bytes and nothing orders the stores, either value "
           "may remain, and another one the next time.",
    .remedy = "Order the two writes, let one thread write, or use an atomic operation.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#memory-consistency-model",
    .wrong = R"cuda(__device__ int in[64], last;

__global__ void find_last_zero() {
    const int i = threadIdx.x;
    if (in[i] == 0)
        last = i; // wrong: the last thread to store is not the one with the largest i
}

int main() {
    find_last_zero<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .right = R"cuda(__device__ int in[64], last;

__global__ void find_last_zero() {
    const int i = threadIdx.x;
    if (in[i] == 0)
        atomicMax(&last, i);
}

int main() {
    find_last_zero<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
};

} // namespace sim::hazards
