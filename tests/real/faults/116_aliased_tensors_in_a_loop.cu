// source: csarofeen/pytorch#1105, the insertion of barriers does not know that two shared tensors are aliased
// cause: The next iteration writes the first tensor over the second one, which other threads may still read.
// rule: write-after-read-race
#include <cstdio>
#include <vector>

constexpr int width = 64, steps = 4;

__global__ void fused(const float* t0, float* t3) {
    __shared__ float memory[width];
    float* const t1 = memory;
    float* const t2 = memory;
    for (int step = 0; step < steps; ++step) {
        const int i = step * width + threadIdx.x;
        t1[threadIdx.x] = t0[i] + 1; // <-- cause
        __syncthreads();
        const float neighbour = t1[threadIdx.x ^ 1];
        __syncthreads();
        t2[threadIdx.x] = neighbour + 1;
        __syncthreads();
        t3[i] = t2[(threadIdx.x + 32) % width] + 1; // <-- cause
    }
}

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    constexpr int n = steps * width;
    float host[n], result[n], *in, *out;
    for (int i = 0; i < n; ++i)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    fused<<<1, width>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != host[i / width * width + ((i + 32) % width ^ 1)] + 3;
    return verdict(wrong);
}
