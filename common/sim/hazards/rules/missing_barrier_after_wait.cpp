#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule missing_barrier_after_wait;
const Rule missing_barrier_after_wait{
    .name = "missing-barrier-after-wait",
    .title = "A copy's issuer has waited, but the reader is not ordered after that wait",
    .why = "A wait completes the copies of the thread that executes it, and makes them visible to that thread. "
           "Another thread may read them only after it has synchronised with the issuer, and the issuer must "
           "have waited before that synchronisation.",
    .remedy = "Put a barrier between the wait and the first access by another thread.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
              "index.html#data-movement-and-conversion-instructions-cp-async-wait-group",
    .wrong = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[64], out[64];

__global__ void reverse() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0); // wrong: this thread's own copy is complete, that of thread 63 - i perhaps not
    out[i] = tile[63 - i];
}

int main() {
    reverse<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .right = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[64], out[64];

__global__ void reverse() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = tile[63 - i];
}

int main() {
    reverse<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
};

} // namespace sim::hazards
