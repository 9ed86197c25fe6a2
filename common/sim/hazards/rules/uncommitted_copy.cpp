#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule uncommitted_copy;
const Rule uncommitted_copy{
    .name = "uncommitted-copy",
    .title = "A wait does not cover a copy that was not committed",
    .why = "Copies belong to no group until their thread commits them. cp.async.wait_group waits for committed "
           "groups only, so a copy that is committed after the wait, or never, is still under way when the wait "
           "returns. (cp.async.wait_all commits by itself.)",
    .remedy = "Commit between the copies and the wait.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
              "index.html#data-movement-and-conversion-instructions-cp-async-commit-group",
    .wrong = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[64], out[64];

__global__ void twice() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int));
    __pipeline_wait_prior(0); // wrong: no group has been committed yet
    __pipeline_commit();
    out[i] = 2 * tile[i];
}

int main() {
    twice<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .right = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[64], out[64];

__global__ void twice() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[i] = 2 * tile[i];
}

int main() {
    twice<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
};

} // namespace sim::hazards
