// source: AcceleratedKernels.jl#98, the aggregate of a decoupled look-back is not ordered before its flag at device
//     scope
// cause: The fence between the aggregate and its flag orders for the same block only, and the flag's reader is in the
//     next block.
// rule: scope-too-narrow|read-after-write-race
#include <cstdio>
#include <vector>

constexpr int threads = 64, blocks = 6;

__global__ void scan(const int* in, int* out, int* aggregate, volatile int* flag) {
    __shared__ int data[threads], prefix;
    const int t = threadIdx.x, b = blockIdx.x;
    data[t] = in[b * threads + t];
    __syncthreads();
    for (int step = 1; step < threads; step *= 2) {
        const int x = t >= step ? data[t - step] : 0;
        __syncthreads();
        data[t] += x;
        __syncthreads();
    }
    if (t == 0) {
        int before = 0;
        if (b > 0) {
            while (flag[b - 1] == 0) {
            }
            __threadfence();
            before = aggregate[b - 1]; // <-- cause
        }
        aggregate[b] = before + data[threads - 1]; // <-- cause
        __threadfence_block();                     // <-- cause
        flag[b] = 1;                               // <-- cause
        prefix = before;
    }
    __syncthreads();
    out[b * threads + t] = prefix + data[t];
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
    const std::vector<int> in = numbers(blocks * threads), zeros(blocks);
    int* out = to_device(in);
    scan<<<blocks, threads>>>(to_device(in), out, to_device(zeros), to_device(zeros));
    int sum = 0, wrong = 0, i = 0;
    for (const int value : to_host(out, blocks * threads))
        wrong += value != (sum += in[i++]);
    return verdict(wrong);
}
