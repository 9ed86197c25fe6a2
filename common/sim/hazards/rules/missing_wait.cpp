#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule missing_wait;
const Rule missing_wait{
    .name = "missing-wait",
    .title = "Bytes of an asynchronous copy are used, and nobody waited for it",
    .why = "cp.async only starts a copy. Its bytes may arrive at any moment until the thread that issued it has "
           "executed a wait that covers it, or until an mbarrier that tracks it has completed its phase. A block "
           "barrier orders what threads have done; it does not complete copies that are still under way.",
    .remedy = "Wait for the copy (cp.async.wait_group, __pipeline_wait_prior, or the mbarrier phase that tracks it) "
              "before using what it brings.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
              "index.html#data-movement-and-conversion-instructions-cp-async",
    .wrong = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[64], out[64];

__global__ void twice() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int));
    __pipeline_commit();
    __syncthreads(); // wrong: the copy may still be under way
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
