// source: sglang#37663, moe_align_block_size searches a shared prefix array that other threads are still writing
// cause: Every thread searches the whole prefix array and no barrier comes after the threads have written its
//     entries.
// rule: read-after-write-race
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int experts = 64, threads = 128, blocks = 100;

__global__ void expert_of_block(const int* counts, int* out) {
    __shared__ int prefix[experts + 1];
    if (threadIdx.x < experts) {
        int sum = 0;
        for (int e = 0; e <= int(threadIdx.x); ++e)
            sum += counts[e];
        prefix[threadIdx.x + 1] = sum; // <-- cause
    }
    if (threadIdx.x == threads - 1)
        prefix[0] = 0; // <-- cause
    if (threadIdx.x < blocks) {
        int low = 0, high = experts;
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            (prefix[middle] <= int(threadIdx.x) ? low : high) = middle; // <-- cause
        }
        out[threadIdx.x] = low;
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
    std::vector<int> counts(experts);
    for (int e = 0; e < experts; ++e)
        counts[e] = 1 + e % 3;
    int* out = to_device(std::vector<int>(blocks));
    expert_of_block<<<1, threads>>>(to_device(counts), out);
    const std::vector<int> result = to_host(out, blocks);
    int wrong = 0;
    for (int b = 0, e = 0, end = counts[0]; b < blocks; ++b) {
        while (b >= end)
            end += counts[++e];
        wrong += result[b] != e;
    }
    return verdict(wrong);
}
