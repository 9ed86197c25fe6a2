// source: flashinfer#3624, the scratch memory of a block reduction is reused in the next iteration without a barrier
// cause: The next reduction writes the scratch memory while threads may still read the result of the previous one
//     from it.
// rule: write-after-read-race
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int threads = 128, warps = threads / 32, chunks = 6;

__device__ int block_max(int value, int* scratch) {
    value = __reduce_max_sync(~0u, value);
    if (threadIdx.x % 32 == 0)
        scratch[threadIdx.x / 32] = value; // <-- cause
    __syncthreads();
    int largest = scratch[0];
    for (int w = 1; w < warps; ++w)
        largest = max(largest, scratch[w]); // <-- cause
    return largest;
}

// The position of the first largest logit, chunk by chunk.
__global__ void argmax(const int* logits, int* out) {
    __shared__ int scratch[warps];
    int best = -1, where = -1;
    for (int c = 0; c < chunks; ++c) {
        const int largest = block_max(logits[c * threads + threadIdx.x], scratch);
        if (largest > best) {
            best = largest;
            where = c;
        }
    }
    if (threadIdx.x == 0) {
        out[0] = best;
        out[1] = where;
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
    const std::vector<int> in = numbers(chunks * threads);
    int* out = to_device({0, 0});
    argmax<<<1, threads>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, 2);
    const auto largest = std::max_element(in.begin(), in.end());
    return verdict((result[0] != *largest) + (result[1] != (largest - in.begin()) / threads));
}
