#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule exit_before_completion;
const Rule exit_before_completion{
    .name = "exit-before-completion",
    .title = "A thread ends while its bulk copy still uses the block's shared memory",
    .why = "When the last thread of a block has ended, its shared memory goes to another block. A bulk copy from "
           "it that has not read everything by then stores what it finds there. Only the thread that issued a "
           "bulk store can wait for it.",
    .remedy = "Wait for the bulk group (cp.async.bulk.wait_group.read is enough) before the thread ends.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
              "index.html#data-movement-and-conversion-instructions-cp-async-bulk-wait-group",
    .wrong = R"cuda(__device__ alignas(16) int out[64];

__global__ void store() {
    __shared__ alignas(16) int tile[64];
    const int i = threadIdx.x;
    tile[i] = i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (i == 0) {
        const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(tile));
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out), "r"(from) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    } // wrong: the copy may not have read the tile yet
}

int main() {
    store<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .right = R"cuda(__device__ alignas(16) int out[64];

__global__ void store() {
    __shared__ alignas(16) int tile[64];
    const int i = threadIdx.x;
    tile[i] = i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (i == 0) {
        const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(tile));
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out), "r"(from) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

int main() {
    store<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
};

} // namespace sim::hazards
