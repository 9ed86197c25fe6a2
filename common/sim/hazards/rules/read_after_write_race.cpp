#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule read_after_write_race;
const Rule read_after_write_race{
    .name = "read-after-write-race",
    .title = "A read is not ordered after the write whose value it needs",
    .why = "Threads of a block, and lanes of a warp, run independently of each other. Unless a barrier, an "
           "mbarrier phase, a release and acquire pair or the like puts the write before the read, the read may "
           "see the old value. That the lanes of a warp often run in step orders nothing.",
    .remedy = "Put a barrier between the write and the read (__syncthreads(), or __syncwarp() within a warp).",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#memory-consistency-model",
    .wrong = R"cuda(__device__ int in[64], out[64];

__global__ void reverse() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    tile[i] = in[i];
    // wrong: nothing orders thread 63 - i's store before this thread's load
    out[i] = tile[63 - i];
}

int main() {
    reverse<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .right = R"cuda(__device__ int in[64], out[64];

__global__ void reverse() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    tile[i] = in[i];
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
