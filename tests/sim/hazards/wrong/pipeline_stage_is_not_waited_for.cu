// says: The thread reads bytes of a stage without a consumer_wait for it. In this run the read came before the copy.
// says: a consumer_release without its consumer_wait frees a stage that nothing has filled
// The consumers do not wait for the stages. They release all of them before the producer has filled the first.
#include <cooperative_groups.h>
#include <cuda/pipeline>

__device__ int in[160], out[64];

__global__ void roles(int tiles) {
    __shared__ int tile[2][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const bool produces = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state, // other 4
                                    produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    const int lane = threadIdx.x % 32;
    int sum = 0;
    for (int t = 0; t < tiles; ++t)
        if (produces) {
            pipe.producer_acquire(); // other 3, other 4
            cuda::memcpy_async(&tile[t % 2][lane], &in[t * 32 + lane], sizeof(int), pipe); // error 3: overlapping-copies, other 1, other 2, other 3
            pipe.producer_commit(); // other 2
        } else {
            sum += tile[t % 2][31 - lane]; // error 1: missing-wait, error 2: missing-wait
            pipe.consumer_release(); // error 4: deadlock, note 5: phase-without-wait
        }
    if (!produces)
        out[threadIdx.x - 32] = sum;
}

int main() {
    roles<<<1, 96>>>(5);
    return cudaDeviceSynchronize();
}

/*
== clean/pipeline_stage_is_waited_for
The consumers wait for each stage.
orders: every

         } else {
+            pipe.consumer_wait();
*/
