#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/pipeline>
#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void leave(int* last) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
    if (pipe.quit())
        atomicAdd(last, 1);
}

int main() {
    int *last, count;
    cudaMalloc(&last, sizeof *last);
    cudaMemset(last, 0, sizeof *last);
    leave<<<1, THREADS>>>(last);
    cudaMemcpy(&count, last, sizeof count, cudaMemcpyDeviceToHost);
    std::printf("answer: %d\n", count);
}
