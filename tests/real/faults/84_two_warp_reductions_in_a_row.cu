// source: Fuser#489, two warp reductions follow each other and use the same shared memory
// cause: The second reduction's warps write their sums while other warps may still read those of the first.
// rule: write-after-read-race
#include <cstdio>
#include <vector>

constexpr int threads = 128, warps = threads / 32;

__device__ int reduce(int x, int* scratch) {
    for (int step = 16; step > 0; step /= 2)
        x += __shfl_xor_sync(~0u, x, step);
    if (threadIdx.x % 32 == 0)
        scratch[threadIdx.x / 32] = x; // <-- cause
    __syncthreads();
    int sum = 0;
    for (int w = 0; w < warps; ++w)
        sum += scratch[w]; // <-- cause
    return sum;
}

__global__ void sums(const int* a, const int* b, int* out) {
    __shared__ int scratch[warps];
    const int first = reduce(a[threadIdx.x], scratch);  // <-- cause
    const int second = reduce(b[threadIdx.x], scratch); // <-- cause
    out[threadIdx.x] = first - second;
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
    const std::vector<int> a = numbers(threads), b(threads, 3);
    int* out = to_device(std::vector<int>(threads));
    sums<<<1, threads>>>(to_device(a), to_device(b), out);
    int expected = 0, wrong = 0;
    for (const int value : a)
        expected += value - 3;
    for (const int value : to_host(out, threads))
        wrong += value != expected;
    return verdict(wrong);
}
