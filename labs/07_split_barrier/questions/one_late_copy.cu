#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

__device__ void wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
    while (!__mbarrier_test_wait(barrier, token))
        ;
}

__global__ void pairs(const int* in, int* out) {
    __shared__ int left[64], right[64];
    __shared__ __mbarrier_t full;
    const int t = threadIdx.x, other = 63 - t;
    if (t == 0)
        __mbarrier_init(&full, 64);
    __syncthreads();
    __pipeline_memcpy_async(&left[t], in + t, sizeof(int));
    __pipeline_arrive_on(&full);
    __pipeline_memcpy_async(&right[t], in + 64 + t, sizeof(int));
    wait(&full, __mbarrier_arrive(&full));
    int sum = left[other];
    sum += right[other];
    out[t] = sum;
}

int main() {
    int* memory;
    cudaMalloc(&memory, 192 * sizeof(int));
    cudaMemset(memory, 0, 192 * sizeof(int));
    pairs<<<1, 64>>>(memory, memory + 128);
    cudaDeviceSynchronize();
}
