// source: llama.cpp#27870, a block-wide barrier in a branch that only some warps of the attention kernel take
// cause: Only every second warp executes the block barrier in the branch, so it meets the other warps' later barrier
//     instead.
// rule: misaligned-barrier-lines|deadlock
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int warps = 4, threads = warps * 32;

// Pairs of warps share a row: the even one combines the two halves' sums, then all scale.
__global__ void combine(const int* in, int* out) {
    __shared__ int partial[warps], total[warps / 2];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int sum = __reduce_add_sync(~0u, in[threadIdx.x]);
    if (lane == 0)
        partial[warp] = sum; // <-- cause
    if (warp % 2 == 0) {
        __syncthreads(); // <-- cause
        if (lane == 0)
            total[warp / 2] = partial[warp] + partial[warp + 1];
    }
    __syncthreads(); // <-- cause
    out[threadIdx.x] = in[threadIdx.x] * total[warp / 2];
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
    const std::vector<int> in = numbers(threads);
    int* out = to_device(std::vector<int>(threads));
    combine<<<1, threads>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, threads);
    int wrong = 0;
    for (int i = 0; i < threads; ++i) {
        int total = 0;
        for (int k = 0; k < 64; ++k)
            total += in[i / 64 * 64 + k];
        wrong += result[i] != in[i] * total;
    }
    return verdict(wrong);
}
