// expect: missing-wait
// The tile that is read is the one that was asked for last: its stage has not been waited for.
#include <cooperative_groups.h>
#include <cuda/pipeline>

__device__ int in[8][64], out[8][64];

__global__ void stages() {
    __shared__ int tile[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const auto block = cooperative_groups::this_thread_block();
    const int i = threadIdx.x;
    auto pipe = cuda::make_pipeline(block, &state);
    for (int t = 0; t < 9; ++t) {
        if (t < 8) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[t % 2][i], &in[t][i], sizeof(int), pipe);
            pipe.producer_commit();
        }
        if (t > 0) {
            pipe.consumer_wait();
            out[t - 1][i] = tile[t % 2][63 - i];
            pipe.consumer_release();
        }
    }
}

int main() {
    stages<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
