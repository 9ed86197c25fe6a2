// source: SlabHash#23, a bucket is read with an ordinary load while other threads compare and swap its words
// cause: A thread reads a word of the bucket with an ordinary load while other blocks change it with atomicCAS.
// rule: read-after-write-race|write-after-read-race
#include <cstdio>
#include <vector>

constexpr int threads = 32, blocks = 4, capacity = 256, empty = -1;

__global__ void append(int* bucket, const int* values, int* probes) {
    const int value = values[blockIdx.x * threads + threadIdx.x];
    int place = 0, tried = 0;
    while (true) {
        if (bucket[place] == empty) { // <-- cause
            ++tried;
            if (atomicCAS(&bucket[place], empty, value) == empty) // <-- cause
                break;
        }
        ++place;
    }
    probes[blockIdx.x * threads + threadIdx.x] = tried;
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
    const std::vector<int> values = numbers(blocks * threads);
    int *bucket = to_device(std::vector<int>(capacity, empty)), *probes = to_device(values);
    append<<<blocks, threads>>>(bucket, to_device(values), probes);
    long sum = 0, expected = 0;
    for (const int value : to_host(bucket, capacity))
        sum += value == empty ? 0 : value;
    for (const int value : values)
        expected += value;
    return verdict(sum != expected);
}
