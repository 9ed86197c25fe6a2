// source: Paddle#32596, segment mean: __syncthreads is used where the whole grid has to synchronise
// cause: The blocks read each other's sums after __syncthreads, which orders the threads of one block only.
// rule: read-after-write-race
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int threads = 64, blocks = 4;

__global__ void sums_of(const int* in, int* sums, int* out) {
    const int sum = __reduce_add_sync(~0u, in[blockIdx.x * threads + threadIdx.x]);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&sums[blockIdx.x], sum); // <-- cause
    __syncthreads();                       // <-- cause
    const int other = (blockIdx.x + 1) % blocks;
    out[blockIdx.x * threads + threadIdx.x] =
        in[blockIdx.x * threads + threadIdx.x] - sums[other] / threads; // <-- cause
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
    int *data = to_device(in), *sums = to_device(std::vector<int>(blocks)),
        *out = to_device(std::vector<int>(in.size()));
    sums_of<<<blocks, threads>>>(data, sums, out);
    const std::vector<int> result = to_host(out, blocks * threads);
    int wrong = 0;
    for (int i = 0; i < blocks * threads; ++i) {
        int sum = 0;
        for (int k = 0; k < threads; ++k)
            sum += in[(i / threads + 1) % blocks * threads + k];
        wrong += result[i] != in[i] - sum / threads;
    }
    return verdict(wrong);
}
