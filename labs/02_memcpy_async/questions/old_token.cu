#include <cuda/barrier>
#include <utility>

__global__ void meet_twice() {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0)
        init(&bar, 64);
    __syncthreads();

    auto older = bar.arrive();
    __syncthreads();
    auto younger = bar.arrive();
    bar.wait(std::move(younger));
    bar.wait(std::move(older));
}

int main() {
    meet_twice<<<1, 64>>>();
    cudaDeviceSynchronize();
}
