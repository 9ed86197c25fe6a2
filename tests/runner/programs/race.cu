#include <cstdio>

__global__ void kernel(int* out) {
    __shared__ int values[64];
    values[threadIdx.x] = threadIdx.x;
#ifdef CORRECT
    __syncthreads();
#endif
    out[threadIdx.x] = values[63 - threadIdx.x];
}

int main() {
    int* out = nullptr;
    cudaMalloc(&out, 64 * sizeof *out);
    kernel<<<1, 64>>>(out);
    int first = 0;
    cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
    std::printf("%d\n", first);
}
