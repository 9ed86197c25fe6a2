// source: cuCollections#389 (discussion), a group of lanes reads a slot that one of them has just written
// cause: The tile's first thread writes the word to shared memory and the others read it without tile.sync().
// rule: read-after-write-race
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

constexpr int threads = 64, size = 8, tiles = threads / size;

__global__ void probe(const int* keys, int* out) {
    __shared__ int slot[tiles];
    const cg::thread_block block = cg::this_thread_block();
    const cg::thread_block_tile<size> tile = cg::tiled_partition<size>(block);
    const int index = threadIdx.x / size;
    for (int round = 0; round < 4; ++round) {
        if (tile.thread_rank() == 0)
            slot[index] = keys[round * tiles + index]; // <-- cause
        const int key = slot[index];                   // <-- cause
        if (tile.any(key % size == int(tile.thread_rank())))
            out[round * threads + threadIdx.x] = key;
        tile.sync();
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
    const std::vector<int> keys = numbers(4 * tiles);
    int* out = to_device(std::vector<int>(4 * threads));
    probe<<<1, threads>>>(to_device(keys), out);
    const std::vector<int> result = to_host(out, 4 * threads);
    int wrong = 0;
    for (int i = 0; i < 4 * threads; ++i)
        wrong += result[i] != keys[i / threads * tiles + i % threads / size];
    return verdict(wrong);
}
