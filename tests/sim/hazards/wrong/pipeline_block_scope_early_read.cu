// The tile that is read is the one that was asked for last: its stage has not been waited for.
// says: reads bytes of a stage for which it has not called consumer_wait: its last consumer_wait was for another one.
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
            cuda::memcpy_async(&tile[t % 2][i], &in[t][i], sizeof(int), pipe); // other
            pipe.producer_commit(); // other
        }
        if (t > 0) {
            pipe.consumer_wait(); // other
            out[t - 1][i] = tile[t % 2][63 - i]; // error: missing-wait
            pipe.consumer_release();
        }
    }
}

int main() {
    stages<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/pipeline_block_scope
cuda::pipeline of block scope, all threads in both roles; its destructor meets the others with a warp vote.

-            out[t - 1][i] = tile[t % 2][63 - i];
+            out[t - 1][i] = tile[(t - 1) % 2][63 - i];
*/
