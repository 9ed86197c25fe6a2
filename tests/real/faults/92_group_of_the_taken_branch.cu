// source: accelerate#436, a scan of a warp in shared memory under a condition that not all its lanes meet
// cause: The lanes that skip the scan read its result, and only those inside the branch synchronise after it.
// rule: read-after-write-race
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

constexpr int threads = 32;

__global__ void count_valid(const int* in, int* rank) {
    __shared__ int total;
    const int value = in[threadIdx.x];
    int before = 0;
    if (value % 3 != 0) {
        const cg::coalesced_group valid = cg::coalesced_threads();
        before = valid.thread_rank();
        if (before == 0)
            total = valid.size(); // <-- cause
        valid.sync();
    }
    rank[threadIdx.x] = value % 3 != 0 ? before : total; // <-- cause
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
    const std::vector<int> in = numbers(threads);
    int* rank = to_device(std::vector<int>(threads));
    count_valid<<<1, threads>>>(to_device(in), rank);
    const std::vector<int> result = to_host(rank, threads);
    int valid = 0, seen = 0, wrong = 0;
    for (const int value : in)
        valid += value % 3 != 0;
    for (int i = 0; i < threads; ++i)
        wrong += result[i] != (in[i] % 3 != 0 ? seen++ : valid);
    return verdict(wrong);
}
