#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule write_before_completion;
const Rule write_before_completion{
    .name = "write-before-completion",
    .title = "Bytes are written while an asynchronous copy is still writing them",
    .why = "Until a copy is complete its destination belongs to the copy. An ordinary store to the same bytes "
           "races with it: which of the two remains is undefined, so padding that is stored too early may be "
           "overwritten.",
    .remedy = "Wait for the copy first, or do not copy what is overwritten (src-size fills the rest with zeros).",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
              "index.html#data-movement-and-conversion-instructions-cp-async",
    .wrong = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[64], out[64];

__global__ void pad() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int));
    __pipeline_commit();
    if (i >= 60)
        tile[i] = 0; // wrong: the copy may still come and overwrite it
    __pipeline_wait_prior(0);
    out[i] = tile[i];
}

int main() {
    pad<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .right = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[64], out[64];

__global__ void pad() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (i >= 60)
        tile[i] = 0;
    out[i] = tile[i];
}

int main() {
    pad<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
};

} // namespace sim::hazards
