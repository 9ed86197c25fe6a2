// source: kokkos#8648, __threadfence_block() where a parallel scan needs __syncthreads()
// cause: The fence orders a thread's own accesses but does not wait for the thread that writes the total.
// rule: read-after-write-race
#include <cstdio>
#include <vector>

constexpr int threads = 128;

__global__ void normalise(const int* in, int* out) {
    __shared__ int values[threads], total;
    const int t = threadIdx.x;
    values[t] = in[t];
    __syncthreads();
    if (t == threads - 1) {
        int sum = 0;
        for (int i = 0; i < threads; ++i)
            sum += values[i];
        total = sum; // <-- cause
    }
    __threadfence_block();
    out[t] = total - values[t]; // <-- cause
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
    int *out = to_device(in), sum = 0, wrong = 0;
    normalise<<<1, threads>>>(to_device(in), out);
    for (const int value : in)
        sum += value;
    const std::vector<int> result = to_host(out, threads);
    for (int i = 0; i < threads; ++i)
        wrong += result[i] != sum - in[i];
    return verdict(wrong);
}
