// source: acts-project/traccc#137 (review), threads beyond the end return before a collective operation of their group
// cause: The lanes beyond the end have returned, and the others shuffle values out of them.
// rule: member-mask|uninitialised-read
#include <cstdio>
#include <vector>

constexpr int threads = 64;

__global__ void find_best(const int* score, int n, int* best) {
    const int i = blockIdx.x * threads + threadIdx.x;
    if (i >= n)
        return;
    int x = score[i];
    for (int step = 16; step > 0; step >>= 1)
        x = max(x, __shfl_xor_sync(0xffffffff, x, step)); // <-- cause
    if (threadIdx.x % 32 == 0)
        atomicMax(best, x);
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
    const std::vector<int> score = numbers(150);
    int* best = to_device({-1});
    find_best<<<3, threads>>>(to_device(score), score.size(), best);
    int expected = -1;
    for (const int value : score)
        expected = value > expected ? value : expected;
    return verdict(to_host(best, 1)[0] != expected);
}
