// source: FlashMLA#57, a named barrier for 256 threads in a path that one warpgroup of 128 threads takes
// cause: The named barrier expects the threads of two warpgroups, but only one of them comes to it.
// rule: named-barrier|deadlock
#include <cstdio>
#include <vector>

constexpr int group = 128, threads = 2 * group;

__device__ void named_sync(int id, int count) {
    asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(count) : "memory"); // <-- cause
}

__global__ void softmax_rows(const int* in, int* out) {
    __shared__ int scores[group];
    const int t = threadIdx.x;
    if (t < group) {
        scores[t] = in[t] * in[t];
        named_sync(1, threads); // <-- cause
        out[t] = scores[group - 1 - t];
    } else {
        out[t] = in[t];
    }
    __syncthreads(); // <-- cause
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
    const std::vector<int> in = numbers(threads);
    int* out = to_device(std::vector<int>(threads));
    softmax_rows<<<1, threads>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, threads);
    int wrong = 0;
    for (int t = 0; t < threads; ++t)
        wrong += result[t] != (t < group ? in[group - 1 - t] * in[group - 1 - t] : in[t]);
    return verdict(wrong);
}
