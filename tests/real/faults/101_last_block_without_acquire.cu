// source: pytorch#128455, the last block of a two-stage reduction reads the others' results without a fence after the
//     atomic
// cause: The last block learns from the atomic counter that it is the last one and then reads the results without a
//     fence after it.
// rule: read-after-write-race
#include <cstdio>
#include <vector>

constexpr int threads = 64, blocks = 6;

__global__ void reduce(const int* in, int* staging, int* semaphore, int* out) {
    __shared__ int data[threads];
    __shared__ bool is_last_block_done;
    const int t = threadIdx.x;
    data[t] = in[blockIdx.x * threads + t];
    __syncthreads();
    for (int step = threads / 2; step > 0; step /= 2) {
        if (t < step)
            data[t] += data[t + step];
        __syncthreads();
    }
    if (t == 0)
        staging[blockIdx.x] = data[0]; // <-- cause
    __threadfence();
    __syncthreads();
    if (t == 0)
        is_last_block_done = atomicAdd(semaphore, 1) == blocks - 1; // <-- cause
    __syncthreads();
    if (is_last_block_done && t == 0) {
        int sum = 0;
        for (int b = 0; b < blocks; ++b)
            sum += staging[b]; // <-- cause
        *out = sum;
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
    const std::vector<int> in = numbers(blocks * threads);
    int* out = to_device({0});
    reduce<<<blocks, threads>>>(to_device(in), to_device(std::vector<int>(blocks)), to_device({0}), out);
    int sum = 0;
    for (const int value : in)
        sum += value;
    return verdict(to_host(out, 1)[0] != sum);
}
