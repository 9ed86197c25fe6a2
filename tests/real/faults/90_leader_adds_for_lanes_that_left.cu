// source: NVIDIA's article on warp-aggregated atomics, its function copied with a full mask for the broadcast
// cause: The leader's result is broadcast with a full mask, although only the lanes that keep an element are there.
// rule: member-mask|deadlock|divergent-barrier
#include <cstdio>
#include <vector>

constexpr int threads = 64;

__device__ int aggregated_increment(int* counter) {
    const unsigned active = __activemask();
    const int leader = __ffs(active) - 1, lane = threadIdx.x % 32;
    int start = 0;
    if (lane == leader)
        start = atomicAdd(counter, __popc(active));
    start = __shfl_sync(0xffffffff, start, leader); // <-- cause
    return start + __popc(active & ((1u << lane) - 1));
}

__global__ void keep_even(const int* in, int* out, int* counter) {
    const int value = in[blockIdx.x * threads + threadIdx.x];
    if (value % 2 == 0)
        out[aggregated_increment(counter)] = value; // <-- cause
    __syncthreads();                                // <-- cause
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
    const std::vector<int> in = numbers(2 * threads);
    int *out = to_device(std::vector<int>(2 * threads)), *counter = to_device({0});
    keep_even<<<2, threads>>>(to_device(in), out, counter);
    long expected = 0, kept = 0;
    int n = 0;
    for (const int value : in)
        if (value % 2 == 0)
            expected += value, ++n;
    for (const int value : to_host(out, 2 * threads))
        kept += value;
    return verdict((to_host(counter, 1)[0] != n) + (kept != expected));
}
