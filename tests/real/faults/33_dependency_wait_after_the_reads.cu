// source: cccl#11569 on #5297, the PDL synchronisation of the merge sort agent stood after the reads that it was to
//     guard
// cause: The dependent kernel reads the partition that the first kernel writes before it executes
//     griddepcontrol.wait.
// rule: missing-dependency-wait
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int tile = 256, tiles = 4;

__global__ void partition(const int* sizes, int* begins) {
    asm volatile("griddepcontrol.launch_dependents;");
    if (threadIdx.x == 0) {
        int begin = 0;
        for (int t = 0; t < int(blockIdx.x); ++t)
            begin += sizes[t];
        begins[blockIdx.x] = begin;
    }
}

__global__ void merge(const int* begins, const int* in, int* out) {
    const int begin = begins[blockIdx.x]; // <-- cause
    asm volatile("griddepcontrol.wait;" ::: "memory");
    out[blockIdx.x * tile + threadIdx.x] = in[begin + threadIdx.x];
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
    const std::vector<int> in = numbers(tiles * tile), sizes{100, 37, 256, 10};
    int* begins = to_device(std::vector<int>(tiles));
    int *data = to_device(in), *out = to_device(std::vector<int>(in.size()));
    partition<<<tiles, 32>>>(to_device(sizes), begins);
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = tiles;
    config.blockDim = tile;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, merge, static_cast<const int*>(begins), static_cast<const int*>(data), out);
    const std::vector<int> result = to_host(out, tiles * tile);
    int wrong = 0, begin = 0;
    for (int t = 0; t < tiles; begin += sizes[t++])
        for (int i = 0; i < tile; ++i)
            wrong += result[t * tile + i] != in[begin + i];
    return verdict(wrong);
}
