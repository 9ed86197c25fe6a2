#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule read_before_completion;
const Rule read_before_completion{
    .name = "read-before-completion",
    .title = "Bytes are read while an asynchronous copy is still writing them",
    .why = "cp.async.wait_group N waits until at most N of this thread's youngest groups are incomplete. N "
           "counts groups, also empty ones, not copies. If fewer than N groups were committed after the one that "
           "is needed, the wait leaves exactly that one pending. This is how the last tiles of a pipeline go "
           "wrong when committing stops with the copies.",
    .remedy = "Let the wait cover the group that is read: a smaller N, or (empty) groups committed after it.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
              "index.html#data-movement-and-conversion-instructions-cp-async-wait-group",
    .wrong = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[2][64], out[2][64];

__global__ void stages() {
    __shared__ int tile[2][64];
    const int i = threadIdx.x;
    for (int s = 0; s < 2; ++s) {
        __pipeline_memcpy_async(&tile[s][i], &in[s][i], sizeof(int));
        __pipeline_commit();
    }
    for (int s = 0; s < 2; ++s) {
        __pipeline_wait_prior(1); // wrong: in the second round this leaves group 2 pending
        out[s][i] = tile[s][i];
    }
}

int main() {
    stages<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .right = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[2][64], out[2][64];

__global__ void stages() {
    __shared__ int tile[2][64];
    const int i = threadIdx.x;
    for (int s = 0; s < 2; ++s) {
        __pipeline_memcpy_async(&tile[s][i], &in[s][i], sizeof(int));
        __pipeline_commit();
    }
    for (int s = 0; s < 2; ++s) {
        __pipeline_wait_prior(1);
        out[s][i] = tile[s][i];
        __pipeline_commit(); // an empty group: in the second round it is the youngest one
    }
}

int main() {
    stages<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
};

} // namespace sim::hazards
