// source: libcudacxx#77, pipeline.producer_acquire() for a second stage of a pipeline whose shared state has one
// cause: The pipeline has one stage, and the producer acquires a second one before anybody has released the first.
// rule: deadlock
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/pipeline>
#include <vector>

namespace cg = cooperative_groups;

constexpr int threads = 64, stages = 1, tiles = 4;

__global__ void double_all(const int* in, int* out) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    __shared__ int buffer[2][threads];
    const auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    const int t = threadIdx.x;
    for (int tile = 0, fetched = 0; tile < tiles; ++tile) {
        for (; fetched < tiles && fetched < tile + 2; ++fetched) {
            pipeline.producer_acquire(); // <-- cause
            cuda::memcpy_async(&buffer[fetched % 2][t], &in[fetched * threads + t], sizeof(int), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        out[tile * threads + t] = 2 * buffer[tile % 2][t];
        pipeline.consumer_release();
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
    const std::vector<int> in = numbers(tiles * threads);
    int *out = to_device(std::vector<int>(in.size())), wrong = 0;
    double_all<<<1, threads>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, tiles * threads);
    for (int i = 0; i < tiles * threads; ++i)
        wrong += result[i] != 2 * in[i];
    return verdict(wrong);
}
