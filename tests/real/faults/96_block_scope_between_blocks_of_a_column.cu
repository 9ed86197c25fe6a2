// source: cudf#16051, cuda::atomic_ref with thread_scope_block where threads of several blocks update one output
// cause: Several blocks add to one counter with atomics of block scope, which are atomic within a block only.
// rule: scope-too-narrow
#include <cstdio>
#include <cuda/atomic>
#include <vector>

constexpr int threads = 128, blocks = 5;

using Counter = cuda::atomic_ref<int, cuda::thread_scope_block>;

__global__ void count_nulls(const int* column, int rows, int* nulls) {
    const int row = blockIdx.x * threads + threadIdx.x;
    if (row < rows && column[row] % 5 == 0)
        Counter(*nulls).fetch_add(1, cuda::memory_order_relaxed); // <-- cause
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
    const std::vector<int> column = numbers(600);
    int* nulls = to_device({0});
    count_nulls<<<blocks, threads>>>(to_device(column), column.size(), nulls);
    int expected = 0;
    for (const int value : column)
        expected += value % 5 == 0;
    return verdict(to_host(nulls, 1)[0] != expected);
}
