// source: CUDA C++ Programming Guide, "Distributed Shared Memory": the cluster synchronises before the histograms are
//     read
// cause: A block reads its histogram after a barrier of its own threads, while the other block may still add to it.
// rule: read-after-write-race|exit-before-peer-access
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

constexpr int threads = 64, bins = 16, blocks = 2;

__global__ void __cluster_dims__(blocks, 1, 1) histogram(const int* in, int* out) {
    __shared__ int local[bins];
    const cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x < bins)
        local[threadIdx.x] = 0;
    cluster.sync();
    const int bin = in[blockIdx.x * threads + threadIdx.x] % (bins * blocks);
    atomicAdd(cluster.map_shared_rank(local, bin / bins) + bin % bins, 1); // <-- cause
    __syncthreads();
    if (threadIdx.x < bins)
        atomicAdd(&out[blockIdx.x * bins + threadIdx.x], local[threadIdx.x]); // <-- cause
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
    const std::vector<int> in = numbers(blocks * threads);
    int *out = to_device(std::vector<int>(bins * blocks)), expected[bins * blocks] = {}, wrong = 0;
    histogram<<<blocks, threads>>>(to_device(in), out);
    for (const int value : in)
        ++expected[value % (bins * blocks)];
    const std::vector<int> result = to_host(out, bins * blocks);
    for (int b = 0; b < bins * blocks; ++b)
        wrong += result[b] != expected[b];
    return verdict(wrong);
}
