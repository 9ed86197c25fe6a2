#include <cstdio>

__global__ void vote() {
    const int below = __syncthreads_count(threadIdx.x < LIMIT);
    if (threadIdx.x == 0)
        printf("answer: %d\n", below);
}

int main() {
    vote<<<1, 64>>>();
    cudaDeviceSynchronize();
}
