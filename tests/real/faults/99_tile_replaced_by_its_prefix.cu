// source: cccl#4556, thread 0 replaces a tile's aggregate by its inclusive prefix before the later warps have read it
// cause: Thread 0 overwrites the aggregate with the prefix while other warps of the block may still have to read it.
// rule: write-after-read-race
#include <cstdio>
#include <vector>

constexpr int threads = 96, tiles = 4;

__global__ void harness(int* tile_data, const int* prefix, int* out) {
    const int tile = blockIdx.x;
    const int aggregate = tile_data[tile]; // <-- cause
    const int exclusive = prefix[tile];
    if (threadIdx.x == 0)
        tile_data[tile] = exclusive + aggregate; // <-- cause
    out[tile * threads + threadIdx.x] = exclusive * aggregate + threadIdx.x;
}

int* to_device(const std::vector<int>& values) {
    int* p;
    cudaMalloc(&p, values.size() * sizeof(int));
    cudaMemcpy(p, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
    return p;
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
    const std::vector<int> data = {3, 1, 4, 1}, prefix = {0, 3, 4, 8};
    int *tile_data = to_device(data), *out = to_device(std::vector<int>(tiles * threads));
    harness<<<tiles, threads>>>(tile_data, to_device(prefix), out);
    const std::vector<int> result = to_host(out, tiles * threads), sums = to_host(tile_data, tiles);
    int wrong = 0;
    for (int i = 0; i < tiles * threads; ++i)
        wrong += result[i] != prefix[i / threads] * data[i / threads] + i % threads;
    for (int t = 0; t < tiles; ++t)
        wrong += sums[t] != prefix[t] + data[t];
    return verdict(wrong);
}
