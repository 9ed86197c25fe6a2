// source: arrayfire#1313, a persistent histogram kernel takes the next piece of work while threads still read the
//     number of this one
// cause: Thread 0 overwrites the number of the work item in shared memory while other threads may still read it.
// rule: write-after-read-race
#include <cstdio>
#include <vector>

constexpr int threads = 64, items = 12, blocks = 3;

__global__ void persistent(const int* in, int* next, int* out) {
    __shared__ int item;
    while (true) {
        if (threadIdx.x == 0)
            item = atomicAdd(next, 1); // <-- cause
        __syncthreads();
        if (item >= items)
            return;
        const int i = item * threads + threadIdx.x; // <-- cause
        out[i] = 3 * in[i];
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
    const std::vector<int> in = numbers(items * threads);
    int *out = to_device(std::vector<int>(items * threads)), wrong = 0;
    persistent<<<blocks, threads>>>(to_device(in), to_device({0}), out);
    const std::vector<int> result = to_host(out, items * threads);
    for (int i = 0; i < items * threads; ++i)
        wrong += result[i] != 3 * in[i];
    return verdict(wrong);
}
