#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule stream_race;
const Rule stream_race{
    .name = "stream-race",
    .title = "Work of different streams touches the same bytes without order",
    .why = "Operations of one stream run in order; those of different streams run concurrently or in any order, "
           "unless an event, a host synchronisation or the legacy default stream orders them. That the first one "
           "was issued earlier means nothing.",
    .remedy = "Record an event after the first and let the second's stream wait for it (cudaStreamWaitEvent), or "
              "use one stream.",
    .manual = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#streams",
    .wrong = R"cuda(__device__ int data[64], out[64];

__global__ void fill() { data[threadIdx.x] = threadIdx.x; }
__global__ void reverse() { out[threadIdx.x] = data[63 - threadIdx.x]; }

int main() {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    fill<<<1, 64, 0, first>>>();
    // wrong: nothing makes the second stream wait for the first one
    reverse<<<1, 64, 0, second>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .right = R"cuda(__device__ int data[64], out[64];

__global__ void fill() { data[threadIdx.x] = threadIdx.x; }
__global__ void reverse() { out[threadIdx.x] = data[63 - threadIdx.x]; }

int main() {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    fill<<<1, 64, 0, first>>>();
    cudaEvent_t filled;
    cudaEventCreate(&filled);
    cudaEventRecord(filled, first);
    cudaStreamWaitEvent(second, filled);
    reverse<<<1, 64, 0, second>>>();
    return cudaDeviceSynchronize();
}
)cuda",
};

} // namespace sim::hazards
