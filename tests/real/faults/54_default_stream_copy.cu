// source: alpaka#850, cudaMemcpy in the default stream does not wait for kernels of a non-blocking stream
// cause: The copy in the default stream is not ordered after the kernel in the non-blocking stream whose result it
//     reads.
// rule: stream-race
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int n = 1024, threads = 256;

__global__ void triple(const int* in, int* out) {
    const int i = blockIdx.x * threads + threadIdx.x;
    out[i] = 3 * in[i]; // <-- cause
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
    int *data = to_device(in), *out = to_device(std::vector<int>(n));
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    triple<<<n / threads, threads, 0, stream>>>(data, out); // <-- cause
    std::vector<int> result(n);
    cudaMemcpy(result.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost); // <-- cause
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != 3 * in[i];
    return verdict(wrong);
}
