#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule write_after_read_race;
const Rule write_after_read_race{
    .name = "write-after-read-race",
    .title = "A write is not ordered after a read of the same bytes",
    .why = "A buffer that is used again needs two barriers per round: one after it is filled, and one after it "
           "has been read. Without the second one a fast thread stores the next value while a slow one still "
           "reads the last.",
    .remedy = "Put a barrier between the last read and the write.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#memory-consistency-model",
    .wrong = R"cuda(__device__ int in[64], out[64];

__global__ void rotate() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    tile[i] = in[i];
    __syncthreads();
    const int next = tile[(i + 1) % 64];
    tile[i] = next; // wrong: thread i - 1 may not have read tile[i] yet
    __syncthreads();
    out[i] = tile[63 - i];
}

int main() {
    rotate<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .right = R"cuda(__device__ int in[64], out[64];

__global__ void rotate() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    tile[i] = in[i];
    __syncthreads();
    const int next = tile[(i + 1) % 64];
    __syncthreads();
    tile[i] = next;
    __syncthreads();
    out[i] = tile[63 - i];
}

int main() {
    rotate<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
};

} // namespace sim::hazards
