#include <cstdio>
#include <cuda_awbarrier_primitives.h>

__global__ void arrive(unsigned* pending) {
    __shared__ __mbarrier_t barrier;
    __mbarrier_init(&barrier, COUNT);
    for (int i = 1; i < TIMES; ++i)
        __mbarrier_arrive(&barrier);
    const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    *pending = __mbarrier_token_pending_count(token);
}

int main() {
    unsigned *memory, pending;
    cudaMalloc(&memory, sizeof pending);
    arrive<<<1, 1>>>(memory);
    cudaMemcpy(&pending, memory, sizeof pending, cudaMemcpyDeviceToHost);
    std::printf("answer: %u\n", pending);
}
