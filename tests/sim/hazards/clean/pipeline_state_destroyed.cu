// The last pipeline ends the barriers of its shared state; the state's own destructor ends them once more.
#include <cooperative_groups.h>
#include <cuda/pipeline>

#include <new>

__device__ int in[64], out[64];

__global__ void kernel() {
    using State = cuda::pipeline_shared_state<cuda::thread_scope_block, 2>;
    __shared__ alignas(State) unsigned char storage[sizeof(State)];
    __shared__ int tile[64];
    auto* state = reinterpret_cast<State*>(storage);
    for (int round = 0; round < 2; ++round) {
        if (threadIdx.x == 0)
            new (state) State;
        __syncthreads();
        {
            auto pipeline = cuda::make_pipeline(cooperative_groups::this_thread_block(), state);
            pipeline.producer_acquire();
            cuda::memcpy_async(tile + threadIdx.x, in + threadIdx.x, sizeof(int), pipeline);
            pipeline.producer_commit();
            pipeline.consumer_wait();
            out[threadIdx.x] = tile[63 - threadIdx.x];
            pipeline.consumer_release();
        }
        __syncthreads();
        if (threadIdx.x == 0)
            state->~State();
    }
}

int main() {
    kernel<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
