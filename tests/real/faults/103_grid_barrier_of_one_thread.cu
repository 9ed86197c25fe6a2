// source: tilelang#2319 (review), at a software grid barrier thread 0 arrives for its block while the other threads may
//     still write
// cause: Thread 0 arrives at the grid barrier for its block without a block barrier after the other threads' writes.
// rule: read-after-write-race
#include <cstdio>
#include <vector>

constexpr int threads = 96, blocks = 4;

__device__ void grid_sync(unsigned* counter, unsigned round) {
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(counter, 1); // <-- cause
        while (*static_cast<volatile unsigned*>(counter) < blocks * round) {
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void rotate(int* a, int* b, unsigned* counter) {
    const int i = blockIdx.x * threads + threadIdx.x, n = blocks * threads;
    b[i] = a[(i + 100) % n] + 1; // <-- cause
    grid_sync(counter, 1);       // <-- cause
    a[i] = b[(i + 200) % n] * 2; // <-- cause
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
    int *a = to_device(in), *b = to_device(in), *counter = to_device({0}), n = blocks * threads, wrong = 0;
    rotate<<<blocks, threads>>>(a, b, reinterpret_cast<unsigned*>(counter));
    const std::vector<int> result = to_host(a, n);
    for (int i = 0; i < n; ++i)
        wrong += result[i] != 2 * (in[(i + 300) % n] + 1);
    return verdict(wrong);
}
