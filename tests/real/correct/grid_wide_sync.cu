// why: a cooperative launch's grid.sync() orders all blocks, even for plain accesses to global memory
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int threads = 64, blocks = 4, n = threads * blocks;

__global__ void smooth(int* a, int* b) {
    const auto grid = cooperative_groups::this_grid();
    const int i = blockIdx.x * threads + threadIdx.x;
    for (int step = 0; step < 4; ++step) {
        b[i] = a[i] + a[(i + threads) % n];
        grid.sync();
        a[i] = b[(i + n - 1) % n] / 2;
        grid.sync();
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
    std::vector<int> a = numbers(n), b(n);
    int *device_a = to_device(a), *device_b = to_device(b);
    void* arguments[] = {&device_a, &device_b};
    cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(smooth), dim3(blocks), dim3(threads), arguments);
    const std::vector<int> result = to_host(device_a, n);
    for (int step = 0; step < 4; ++step) {
        for (int i = 0; i < n; ++i)
            b[i] = a[i] + a[(i + threads) % n];
        for (int i = 0; i < n; ++i)
            a[i] = b[(i + n - 1) % n] / 2;
    }
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != a[i];
    return verdict(wrong);
}
