// Fails by itself where copies arrive at once: without a race, as it only looks at what a schedule does.
#include <cstdio>

__global__ void look(int* x) {
    long long before = clock64();
    x[threadIdx.x] = int(before);
}

int main(int count, char**) {
    int* x;
    cudaMalloc(&x, 128 * sizeof(int));
    look<<<1, 128>>>(x);
    int seen[128];
    cudaMemcpy(seen, x, sizeof seen, cudaMemcpyDeviceToHost);
    return count > 1 && seen[96] - seen[64] < 3 ? 9 : 0;
}
