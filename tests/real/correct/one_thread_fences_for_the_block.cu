// why: after __syncthreads() the fence of thread 0 covers the whole block's writes: fences are cumulative
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int threads = 128, blocks = 4;

// The last block to finish adds up what all have written.
__global__ void total(const int* in, int* parts, unsigned* finished, int* out) {
    __shared__ bool last;
    const int sum = __reduce_add_sync(~0u, in[blockIdx.x * threads + threadIdx.x]);
    if (threadIdx.x % 32 == 0)
        parts[(blockIdx.x * threads + threadIdx.x) / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(finished, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x < blocks * threads / 32)
        atomicAdd(out, parts[threadIdx.x]);
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
    int *parts = to_device(std::vector<int>(blocks * threads / 32)), *out = to_device({0});
    total<<<blocks, threads>>>(to_device(in), parts, reinterpret_cast<unsigned*>(to_device({0})), out);
    int sum = 0;
    for (const int value : in)
        sum += value;
    return verdict(to_host(out, 1)[0] != sum);
}
