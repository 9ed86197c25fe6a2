// The consumers never call consumer_release: their next consumer_wait asks for the same stage again.
// says: The thread has not called consumer_release since its last consumer_wait
#include <cooperative_groups.h>
#include <cuda/pipeline>

#pragma nv_diag_suppress static_var_with_dynamic_init

__device__ alignas(16) int in[256];
__device__ int out[256];

__global__ void stages() {
    namespace cg = cooperative_groups;
    __shared__ alignas(16) int tile[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const auto block = cg::this_thread_block();
    const bool produces = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    for (int round = 0; round < 2; ++round)
        if (produces) {
            pipe.producer_acquire();
            cuda::memcpy_async(cg::tiled_partition<32>(block), tile[round % 2], in + 64 * round, sizeof tile[0], pipe); // other
            pipe.producer_commit(); // other
        } else {
            pipe.consumer_wait(); // error: missing-wait
            for (int i = threadIdx.x - 32; i < 64; i += 32)
                out[64 * round + i] = tile[round % 2][63 - i]; // other
        }
}

int main() {
    stages<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
/*
== clean/pipeline_stage_released
The consumers release each stage.

-                out[64 * round + i] = tile[round % 2][63 - i];
+                out[64 * round + i] = tile[round % 2][63 - i];
+            pipe.consumer_release();
*/
