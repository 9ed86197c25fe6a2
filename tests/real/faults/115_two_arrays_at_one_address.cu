// source: CUDA.jl#555, two arrays of dynamic shared memory in one kernel begin at the same address
// cause: Both arrays begin at the start of the dynamic shared memory, so the threads of one overwrite elements of the
//     other.
// rule: write-after-write-race|write-after-read-race|read-after-write-race
#include <cstdio>
#include <vector>

constexpr int n = 64;

__global__ void difference(const int* in, int* out) {
    extern __shared__ int dynamic_words[];
    int* const upper = dynamic_words;
    int* const lower = dynamic_words;
    const int i = threadIdx.x;
    upper[i] = in[i] + 1;     // <-- cause
    lower[n - 1 - i] = in[i]; // <-- cause
    __syncthreads();
    out[i] = upper[i] - lower[n - 1 - i];
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
    const std::vector<int> in = numbers(n);
    int *out = to_device(in), wrong = 0;
    difference<<<1, n, 2 * n * sizeof(int)>>>(to_device(in), out);
    for (const int value : to_host(out, n))
        wrong += value != 1;
    return verdict(wrong);
}
