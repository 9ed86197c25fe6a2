#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule overlapping_copies;
const Rule overlapping_copies{
    .name = "overlapping-copies",
    .title = "Two copies in flight write the same bytes",
    .why = "Asynchronous copies are not ordered among each other, not even those of one thread, until one of "
           "them has been waited for. If two of them write the same bytes, either may be the last one.",
    .remedy = "Give each copy its own destination, or wait between them.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
              "index.html#data-movement-and-conversion-instructions-cp-async",
    .wrong = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[2][64], out[64];

__global__ void last() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    for (int s = 0; s < 2; ++s) {
        __pipeline_memcpy_async(&tile[i], &in[s][i], sizeof(int)); // wrong: both rounds fill the same buffer
        __pipeline_commit();
    }
    __pipeline_wait_prior(0);
    out[i] = tile[i];
}

int main() {
    last<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .right = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[2][64], out[64];

__global__ void last() {
    __shared__ int tile[2][64];
    const int i = threadIdx.x;
    for (int s = 0; s < 2; ++s) {
        __pipeline_memcpy_async(&tile[s][i], &in[s][i], sizeof(int));
        __pipeline_commit();
    }
    __pipeline_wait_prior(0);
    out[i] = tile[0][i] + tile[1][i];
}

int main() {
    last<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
};

} // namespace sim::hazards
