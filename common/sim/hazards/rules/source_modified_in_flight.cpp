#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule source_modified_in_flight;
const Rule source_modified_in_flight{
    .name = "source-modified-in-flight",
    .title = "The source of a copy changes before the copy is complete",
    .why = "A copy reads its source at any moment between its issue and its completion. If the source is written "
           "meanwhile, the copy brings old bytes, new ones, or some of each.",
    .remedy = "Wait for the copy before changing its source.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
              "index.html#data-movement-and-conversion-instructions-cp-async",
    .wrong = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int queue[64], out[64];

__global__ void take() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &queue[i], sizeof(int));
    __pipeline_commit();
    queue[i] = 0; // wrong: the copy may not have read it yet
    __pipeline_wait_prior(0);
    out[i] = tile[i];
}

int main() {
    take<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .right = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int queue[64], out[64];

__global__ void take() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &queue[i], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    queue[i] = 0;
    out[i] = tile[i];
}

int main() {
    take<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
};

} // namespace sim::hazards
