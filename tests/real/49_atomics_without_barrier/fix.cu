// fix: a barrier after the atomics
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int threads = 64;

__global__ void bump(int* out) {
    __shared__ int shared[threads];
    shared[threadIdx.x ^ 1] = 10;
    __syncthreads();
    atomicAdd(&shared[threadIdx.x], threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = shared[threadIdx.x ^ 1];
}

int* to_device(const std::vector<int>& values) {
    int* p;
    cudaMalloc(&p, values.size() * sizeof(int));
    cudaMemcpy(p, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
    return p;
}

std::vector<int> numbers(int n) {
    std::vector<int> values(n);
    for (int i = 0; i < n; ++i)
        values[i] = i * 7 % 1009;
    return values;
}

std::vector<int> to_host(const int* p, int n) {
    std::vector<int> values(n);
    cudaMemcpy(values.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost);
    return values;
}

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    int* out = to_device(std::vector<int>(threads));
    bump<<<1, threads>>>(out);
    const std::vector<int> result = to_host(out, threads);
    int wrong = 0;
    for (int i = 0; i < threads; ++i)
        wrong += result[i] != 10 + (i ^ 1);
    return verdict(wrong);
}
