// The consumers do not release the stages, so the producer waits for ever for the third one.
#include <cooperative_groups.h>
#include <cuda/pipeline>

__device__ int in[160], out[64];

__global__ void roles(int tiles) {
    __shared__ int tile[2][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const bool produces = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state,
                                    produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    const int lane = threadIdx.x % 32;
    int sum = 0;
    for (int t = 0; t < tiles; ++t)
        if (produces) {
            pipe.producer_acquire(); // error 2: deadlock
            cuda::memcpy_async(&tile[t % 2][lane], &in[t * 32 + lane], sizeof(int), pipe); // other 1
            pipe.producer_commit(); // other 1
        } else {
            pipe.consumer_wait(); // error 1: missing-wait
            sum += tile[t % 2][31 - lane]; // other 1
        }
    if (!produces)
        out[threadIdx.x - 32] = sum;
}

int main() {
    roles<<<1, 96>>>(5);
    return cudaDeviceSynchronize();
}

/*
== clean/pipeline_stage_is_released
Each consumer releases the stage that it has read.
orders: every

             sum += tile[t % 2][31 - lane];
+            pipe.consumer_release();
*/
