// source: tritonBLAS#61, a stream-K kernel sets its locks to zero itself and then waits for them
// cause: A block clears the lock that it waits for although the block that signals it may have set it already.
// rule: write-after-write-race|write-after-read-race|read-after-write-race|deadlock
#include <cstdio>
#include <vector>

constexpr int threads = 32, blocks = 4;

__global__ void stream_k(const int* in, int* partial, int* locks, int* out) {
    const int t = threadIdx.x, b = blockIdx.x;
    if (t == 0)
        locks[b] = 0; // <-- cause
    __syncthreads();
    if (b > 0) {
        partial[b * threads + t] = in[b * threads + t];
        __threadfence();
        __syncthreads();
        if (t == 0)
            atomicExch(&locks[b - 1], 1); // <-- cause
    }
    if (b == blocks - 1)
        return;
    if (t == 0)
        while (atomicAdd(&locks[b], 0) != 1) { // <-- cause
        }
    __syncthreads();
    __threadfence();
    out[b * threads + t] = in[b * threads + t] + partial[(b + 1) * threads + t];
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
    const std::vector<int> in = numbers(blocks * threads), zeros(in.size());
    int *out = to_device(zeros), *locks = to_device(std::vector<int>(blocks));
    stream_k<<<blocks, threads>>>(to_device(in), to_device(zeros), locks, out);
    const std::vector<int> result = to_host(out, (blocks - 1) * threads);
    int wrong = 0;
    for (int i = 0; i < int(result.size()); ++i)
        wrong += result[i] != in[i] + in[i + threads];
    return verdict(wrong);
}
