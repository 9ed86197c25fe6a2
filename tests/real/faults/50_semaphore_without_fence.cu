// source: Fuser#2391, the split-K semaphore is released without __threadfence, so the next block may add to stale
//     sums
// cause: The semaphore is passed on without a release at device scope, so this block's sums are not ordered before
//     the next block's reads.
// rule: read-after-write-race|write-after-read-race|write-after-write-race
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int threads = 128, splits = 4;

// The blocks add their part to the sums one after the other.
__global__ void split_sum(const int* in, int* sums, volatile int* semaphore) {
    if (threadIdx.x == 0)
        while (*semaphore != int(blockIdx.x)) {
        }
    __syncthreads();
    __threadfence();
    const int value = in[blockIdx.x * threads + threadIdx.x];
    const int before = blockIdx.x == 0 ? 0 : sums[threads - 1 - threadIdx.x]; // <-- cause
    __syncthreads();
    sums[threadIdx.x] = before + value; // <-- cause
    __syncthreads();
    if (threadIdx.x == 0)
        *semaphore = blockIdx.x + 1; // <-- cause
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
    const std::vector<int> in = numbers(splits * threads);
    int* sums = to_device(std::vector<int>(threads));
    split_sum<<<splits, threads>>>(to_device(in), sums, to_device({0}));
    const std::vector<int> result = to_host(sums, threads);
    std::vector<int> expected(threads), previous(threads);
    for (int s = 0; s < splits; ++s) {
        previous = expected;
        for (int i = 0; i < threads; ++i)
            expected[i] = (s ? previous[threads - 1 - i] : 0) + in[s * threads + i];
    }
    int wrong = 0;
    for (int i = 0; i < threads; ++i)
        wrong += result[i] != expected[i];
    return verdict(wrong);
}
