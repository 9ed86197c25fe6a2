#include <cstdio>

__device__ void fill(int* values) {
    values[threadIdx.x] = threadIdx.x;
}

__device__ int mirrored(const int* values) {
    return values[63 - threadIdx.x];
}

__global__ void first(int* out) {
    __shared__ int values[64];
    fill(values);
    out[threadIdx.x] = mirrored(values);
}

__global__ void second(int* out) {
    __shared__ int values[64];
    fill(values);
#ifdef SECOND_CORRECT
    __syncthreads();
#endif
    out[threadIdx.x] = 2 * mirrored(values);
}

int main() {
    int* out = nullptr;
    cudaMalloc(&out, 64 * sizeof *out);
    first<<<1, 64>>>(out);
    second<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    std::printf("done\n");
}
