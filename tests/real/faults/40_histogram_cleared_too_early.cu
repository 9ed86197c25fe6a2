// source: flashinfer#3529, the refinement rounds of a top-k kernel clear the shared histogram that others still read
// cause: A thread clears the histogram for the next round while another thread may still read it for the current one.
// rule: write-after-read-race
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int threads = 256, bins = 16, rounds = 4;

// Radix selection: narrows the key of the k-th largest value down by four bits a round.
__global__ void select(const unsigned* values, int k, unsigned* out) {
    __shared__ int histogram[bins];
    const unsigned value = values[threadIdx.x];
    unsigned prefix = 0;
    for (int round = 0; round < rounds; ++round) {
        const int shift = 4 * (rounds - 1 - round);
        if (threadIdx.x < bins)
            histogram[threadIdx.x] = 0; // <-- cause
        __syncthreads();
        if (value >> (shift + 4) == prefix)
            atomicAdd(&histogram[value >> shift & 15], 1);
        __syncthreads();
        int bin = bins - 1;
        for (; bin > 0 && histogram[bin] < k; --bin) // <-- cause
            k -= histogram[bin];                     // <-- cause
        prefix = prefix << 4 | bin;
    }
    if (threadIdx.x == 0)
        *out = prefix;
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
    std::vector<int> in = numbers(threads);
    for (int& value : in)
        value = value * 61 % 65521;
    int* out = to_device({0});
    select<<<1, threads>>>(reinterpret_cast<const unsigned*>(to_device(in)), 10, reinterpret_cast<unsigned*>(out));
    int larger = 0;
    const int found = to_host(out, 1)[0];
    for (const int value : in)
        larger += value > found;
    return verdict(larger >= 10 || larger + std::count(in.begin(), in.end(), found) < 10);
}
