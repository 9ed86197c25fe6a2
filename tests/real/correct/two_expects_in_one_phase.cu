// why: two threads expect the bytes of their own copies on one barrier that counts both arrivals
#include <cstdint>
#include <cstdio>
#include <cuda/barrier>
#include <vector>

constexpr int tile = 256;
using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void add(const int* a, const int* b, int* out) {
    __shared__ alignas(16) int first[tile], second[tile];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    if (threadIdx.x == 0)
        init(&bar, tile);
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::memcpy_async_tx(first, a, cuda::aligned_size_t<16>(sizeof first), bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof first);
    } else if (threadIdx.x == tile - 1) {
        cuda::device::memcpy_async_tx(second, b, cuda::aligned_size_t<16>(sizeof second), bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof second);
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    out[threadIdx.x] = first[tile - 1 - threadIdx.x] + second[threadIdx.x];
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
    const std::vector<int> in = numbers(2 * tile);
    int *data = to_device(in), *out = to_device(std::vector<int>(tile));
    add<<<1, tile>>>(data, data + tile, out);
    const std::vector<int> result = to_host(out, tile);
    int wrong = 0;
    for (int i = 0; i < tile; ++i)
        wrong += result[i] != in[tile - 1 - i] + in[tile + i];
    return verdict(wrong);
}
