// source: CUDA C++ Programming Guide, __pipeline_memcpy_async: its last argument is how many bytes to set to zero
// cause: The copy is told to clear as many bytes as there are and so copies as many as there are not, beyond the end of
//     the input.
// rule: out-of-bounds
#include <cstdio>
#include <cuda_pipeline.h>
#include <vector>

constexpr int threads = 32, n = 4 * threads - 3;

__global__ void load_tail(const int* in, int* out) {
    __shared__ alignas(16) int tile[4 * threads];
    const int first = 4 * threadIdx.x, valid = min(max(n - first, 0), 4);
    if (valid == 4)
        __pipeline_memcpy_async(&tile[first], &in[first], 16);
    else
        __pipeline_memcpy_async(&tile[first], &in[first], 16, valid * sizeof(int)); // <-- cause
    __pipeline_commit();
    __pipeline_wait_prior(0);
    for (int i = first; i < first + 4; ++i)
        out[i] = tile[i];
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
    const std::vector<int> in = numbers(n);
    int *out = to_device(std::vector<int>(4 * threads)), wrong = 0;
    load_tail<<<1, threads>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, 4 * threads);
    for (int i = 0; i < 4 * threads; ++i)
        wrong += result[i] != (i < n ? in[i] : 0);
    return verdict(wrong);
}
