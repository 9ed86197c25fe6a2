#include <cuda_awbarrier_primitives.h>

__device__ void wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
    while (!__mbarrier_test_wait(barrier, token))
        ;
}

__global__ void steps(int* out) {
    __shared__ __mbarrier_t barrier;
    if (threadIdx.x == 0)
        __mbarrier_init(&barrier, 64);
    __syncthreads();
    const __mbarrier_token_t first = __mbarrier_arrive(&barrier);
    wait(&barrier, first);
    const __mbarrier_token_t second = __mbarrier_arrive(&barrier);
    wait(&barrier, second);
    wait(&barrier, first);
    out[threadIdx.x] = threadIdx.x;
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    steps<<<1, 64>>>(out);
    cudaDeviceSynchronize();
}
