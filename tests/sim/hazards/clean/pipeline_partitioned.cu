// cuda::pipeline of block scope, one warp produces and the others consume.
#include <cooperative_groups.h>
#include <cuda/pipeline>

__device__ int in[8][64], out[8][64];

__global__ void stages() {
    __shared__ int tile[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const auto block = cooperative_groups::this_thread_block();
    const int i = threadIdx.x;
    const bool producer = i >= 64;
    auto pipe =
        cuda::make_pipeline(block, &state, producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    for (int t = 0; t < 8; ++t)
        if (producer) {
            pipe.producer_acquire();
            for (int k = i - 64; k < 64; k += 32)
                cuda::memcpy_async(&tile[t % 2][k], &in[t][k], sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            out[t][i] = tile[t % 2][63 - i];
            pipe.consumer_release();
        }
}

int main() {
    stages<<<1, 96>>>();
    return cudaDeviceSynchronize();
}
