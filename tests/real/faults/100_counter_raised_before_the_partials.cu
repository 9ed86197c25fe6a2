// source: flashinfer#4742 (review), the tile counter of a split-K GEMM is incremented inside the loop without a fence
// cause: The counter is incremented without a fence after the partial sums, so the reducing block may read old ones.
// rule: read-after-write-race
#include <cstdio>
#include <vector>

constexpr int threads = 64, splits = 4, tiles = 2;

__global__ void split_k(const int* in, int* partial, int* counters, int* out) {
    const int t = threadIdx.x, split = blockIdx.x;
    for (int tile = 0; tile < tiles; ++tile) {
        const int at = (tile * splits + split) * threads + t;
        partial[at] = 2 * in[at]; // <-- cause
        __syncthreads();
        if (t == 0)
            atomicAdd(&counters[tile], 1); // <-- cause
    }
    if (split >= tiles)
        return;
    if (t == 0)
        while (atomicAdd(&counters[split], 0) < splits) {
        }
    __syncthreads();
    __threadfence();
    int sum = 0;
    for (int s = 0; s < splits; ++s)
        sum += partial[(split * splits + s) * threads + t]; // <-- cause
    out[split * threads + t] = sum;
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
    const std::vector<int> in = numbers(tiles * splits * threads), zeros(in.size());
    int* out = to_device(std::vector<int>(tiles * threads));
    split_k<<<splits, threads>>>(to_device(in), to_device(zeros), to_device({0, 0}), out);
    const std::vector<int> result = to_host(out, tiles * threads);
    int wrong = 0;
    for (int i = 0; i < tiles * threads; ++i) {
        int sum = 0;
        for (int s = 0; s < splits; ++s)
            sum += 2 * in[(i / threads * splits + s) * threads + i % threads];
        wrong += result[i] != sum;
    }
    return verdict(wrong);
}
