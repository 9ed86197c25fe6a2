// source: ScoR (Kamath et al., iGUARD), a lock of block scope around data that several blocks update
// cause: The lock is taken with atomics of block scope, so two blocks can hold it at the same time.
// rule: scope-too-narrow
#include <cstdio>
#include <vector>

constexpr int threads = 32, blocks = 4;

__device__ int owner;
__device__ int totals[8];

__global__ void accumulate(const int* in) {
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < threads; ++i)
            sum += in[blockIdx.x * threads + i];
        while (atomicCAS_block(&owner, 0, 1) != 0) { // <-- cause
        }
        __threadfence();
        totals[0] += sum; // <-- cause
        totals[1] += 1;   // <-- cause
        __threadfence();
        atomicExch_block(&owner, 0); // <-- cause
    }
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

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    const std::vector<int> in = numbers(blocks * threads);
    accumulate<<<blocks, threads>>>(to_device(in));
    int result[8], sum = 0;
    cudaMemcpyFromSymbol(result, totals, sizeof result);
    for (const int value : in)
        sum += value;
    return verdict((result[0] != sum) + (result[1] != blocks));
}
