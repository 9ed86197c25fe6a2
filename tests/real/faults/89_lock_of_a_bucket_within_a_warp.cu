// source: HierarchicalKV#229, groups of lanes in one warp lock the same bucket and probe it with warp-wide operations
// cause: The lane that holds the lock waits at a warp barrier for the lanes that spin on that lock.
// rule: deadlock
#include <cstdio>
#include <vector>

constexpr int buckets = 4, threads = 32;

__global__ void insert(const int* keys, int* size, int* locks, int* table) {
    const int key = keys[threadIdx.x], bucket = key % buckets;
    while (atomicCAS(&locks[bucket], 0, 1) == 1) { // <-- cause
    }
    __syncwarp(); // <-- cause
    __threadfence();
    const int place = size[bucket];
    table[bucket * threads + place] = key;
    size[bucket] = place + 1;
    __threadfence();
    atomicExch(&locks[bucket], 0);
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
    const std::vector<int> keys = numbers(threads);
    int *size = to_device(std::vector<int>(buckets)), *locks = to_device(std::vector<int>(buckets));
    int* table = to_device(std::vector<int>(buckets * threads));
    insert<<<1, threads>>>(to_device(keys), size, locks, table);
    const std::vector<int> sizes = to_host(size, buckets);
    int expected[buckets] = {}, wrong = 0;
    for (const int key : keys)
        ++expected[key % buckets];
    for (int b = 0; b < buckets; ++b)
        wrong += sizes[b] != expected[b];
    return verdict(wrong);
}
