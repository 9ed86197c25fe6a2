// source: llama.cpp#13742, every warp checks the whole mask and skips the tile, but not all at the same time
// cause: A warp that has skipped writes the next tile's mask while another warp still checks this one.
// rule: write-after-read-race
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int columns = 128, tiles = 8, threads = 128;

__global__ void masked_sum(const int* mask, const int* values, int* out) {
    __shared__ int shared_mask[columns];
    int sum = 0;
    for (int t = 0; t < tiles; ++t) {
        shared_mask[threadIdx.x] = mask[t * columns + threadIdx.x]; // <-- cause
        __syncthreads();
        bool skip = true;
        for (int i = threadIdx.x % 32; i < columns; i += 32)
            skip = skip && shared_mask[i] == 0; // <-- cause
        if (__all_sync(~0u, skip))
            continue;
        for (int i = 0; i < columns; ++i)
            if (shared_mask[i]) // <-- cause
                sum += values[t * columns + i] * int(threadIdx.x + 1);
        __syncthreads();
    }
    out[threadIdx.x] = sum;
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
    std::vector<int> mask = numbers(tiles * columns);
    const std::vector<int> values = numbers(tiles * columns);
    for (int i = 0; i < tiles * columns; ++i)
        mask[i] = i / columns % 3 != 1 && mask[i] % 2;
    int* out = to_device(std::vector<int>(threads));
    masked_sum<<<1, threads>>>(to_device(mask), to_device(values), out);
    const std::vector<int> result = to_host(out, threads);
    int sum = 0, wrong = 0;
    for (int i = 0; i < tiles * columns; ++i)
        sum += mask[i] ? values[i] : 0;
    for (int i = 0; i < threads; ++i)
        wrong += result[i] != sum * (i + 1);
    return verdict(wrong);
}
