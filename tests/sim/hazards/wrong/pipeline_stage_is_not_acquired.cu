// says: The stage is filled again without a producer_acquire
// The producer fills the stages without waiting until they have been released.
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
            cuda::memcpy_async(&tile[t % 2][lane], &in[t * 32 + lane], sizeof(int), pipe); // error 1: overlapping-copies, other 1, other 2
            pipe.producer_commit(); // other 2
        } else {
            pipe.consumer_wait(); // other 2
            sum += tile[t % 2][31 - lane]; // error 2: early-phase
            pipe.consumer_release(); // note 3: phase-without-wait
        }
    if (!produces)
        out[threadIdx.x - 32] = sum;
}

int main() {
    roles<<<1, 96>>>(5);
    return cudaDeviceSynchronize();
}

/*
== clean/pipeline_stage_is_acquired
The producer waits until each stage is free.
orders: every

         if (produces) {
+            pipe.producer_acquire();
*/
