// says: has not called producer_commit since its last producer_acquire
// says: producer_commit is missing
// The producer does not commit the stages, so it fills the first one again and again.
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
            pipe.producer_acquire(); // error 1: overlapping-copies
            cuda::memcpy_async(&tile[t % 2][lane], &in[t * 32 + lane], sizeof(int), pipe); // other 1
        } else {
            pipe.consumer_wait(); // error 2: deadlock
            sum += tile[t % 2][31 - lane];
            pipe.consumer_release();
        }
    if (!produces)
        out[threadIdx.x - 32] = sum;
}

int main() {
    roles<<<1, 96>>>(5);
    return cudaDeviceSynchronize();
}

/*
== clean/pipeline_stage_is_committed
The producer commits each stage.
orders: every

             cuda::memcpy_async(&tile[t % 2][lane], &in[t * 32 + lane], sizeof(int), pipe);
+            pipe.producer_commit();
*/
