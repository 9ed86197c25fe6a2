// source: FastNN#8, the last warp of a sum adds up volatile shared memory without __syncwarp
// cause: The lanes read what other lanes have just written to volatile shared memory, but volatile does not make them
//     wait for each other.
// rule: read-after-write-race
#include <cstdio>
#include <vector>

constexpr int threads = 128;

__device__ void last_warp(volatile float* data, int t) {
    data[t] = data[t] + data[t + 32]; // <-- cause
    data[t] = data[t] + data[t + 16]; // <-- cause
    data[t] = data[t] + data[t + 8];  // <-- cause
    data[t] = data[t] + data[t + 4];  // <-- cause
    data[t] = data[t] + data[t + 2];  // <-- cause
    data[t] = data[t] + data[t + 1];  // <-- cause
}

__global__ void kernel_sum(const float* in, float* sum) {
    __shared__ float data[threads];
    const int t = threadIdx.x;
    data[t] = in[t];
    __syncthreads();
    if (t < 64)
        data[t] += data[t + 64];
    __syncthreads();
    if (t < 32)
        last_warp(data, t);
    if (t == 0)
        *sum = data[0];
}

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    float host[threads], *in, *sum, result, expected = 0;
    for (int i = 0; i < threads; ++i)
        expected += host[i] = i % 17;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&sum, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    kernel_sum<<<1, threads>>>(in, sum);
    cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
    return verdict(result != expected);
}
