#include <cooperative_groups.h>
#include <cuda/pipeline>
#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void rotate(const int* in, int* out, int tiles) {
    __shared__ alignas(16) int tile[64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    const auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int k = 0; k < tiles; ++k) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, tile, in + 64 * k, cuda::aligned_size_t<16>(sizeof tile), pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        pipe.consumer_release();
        out[64 * k + threadIdx.x] = tile[(threadIdx.x + 33) % 64];
    }
}

int main() {
    int* memory;
    cudaMalloc(&memory, 512 * sizeof(int));
    cudaMemset(memory, 0, 512 * sizeof(int));
    rotate<<<1, 64>>>(memory, memory + 256, 4);
    cudaDeviceSynchronize();
}
