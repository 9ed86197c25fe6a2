// source: tilelang#1257, the generated kernel reads a shared array right after other threads' atomic additions
// cause: A thread reads an element that another thread adds to, and no barrier stands after the atomic additions.
// rule: read-after-write-race
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int threads = 64;

__global__ void bump(int* out) {
    __shared__ int shared[threads];
    shared[threadIdx.x ^ 1] = 10; // <-- cause
    __syncthreads();
    atomicAdd(&shared[threadIdx.x], threadIdx.x); // <-- cause
    out[threadIdx.x] = shared[threadIdx.x ^ 1];   // <-- cause
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
