// source: csarofeen/pytorch#1579, warps whose predicate is false do not store a partial sum that the last step reads
// cause: Warps without elements do not write their partial sums, and the first warp adds up all of them.
// rule: uninitialised-read
#include <cstdio>
#include <vector>

constexpr int threads = 256, warps = threads / 32;

__global__ void block_sum(const int* in, int n, int* out) {
    __shared__ int partial[warps];
    const bool active = threadIdx.x < n;
    int x = active ? in[threadIdx.x] : 0;
    for (int step = 16; step > 0; step /= 2)
        x += __shfl_down_sync(~0u, x, step);
    if (active && threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32) {
        x = threadIdx.x < warps ? partial[threadIdx.x] : 0; // <-- cause
        for (int step = warps / 2; step > 0; step /= 2)
            x += __shfl_down_sync(~0u, x, step);
        if (threadIdx.x == 0)
            *out = x;
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
    const std::vector<int> in = numbers(150);
    int* out = to_device({0});
    block_sum<<<1, threads>>>(to_device(in), in.size(), out);
    int sum = 0;
    for (const int value : in)
        sum += value;
    return verdict(to_host(out, 1)[0] != sum);
}
