// source: cuda-samples#78, parts of a signal are joined with cudaMemcpy, the last one with the length of the others
// cause: The last part is shorter than the others, so a copy of full length reads beyond the end of its buffer.
// rule: failed-call|out-of-bounds
#include <cstdio>
#include <vector>

constexpr int length = 1000, part = 256, parts = 4;

__global__ void demodulate(const int* in, int* out, int n) {
    const int i = threadIdx.x;
    if (i < n)
        out[i] = -in[i];
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
    const std::vector<int> signal = numbers(length);
    int *whole = to_device(std::vector<int>(parts * part)), *out;
    for (int p = 0; p < parts; ++p) {
        const int n = length - p * part < part ? length - p * part : part;
        int* in = to_device(std::vector<int>(signal.begin() + p * part, signal.begin() + p * part + n));
        cudaMalloc(&out, n * sizeof(int));
        demodulate<<<1, part>>>(in, out, n);
        cudaMemcpy(whole + p * part, out, part * sizeof(int), cudaMemcpyDeviceToDevice); // <-- cause
    }
    const std::vector<int> result = to_host(whole, length);
    int wrong = 0;
    for (int i = 0; i < length; ++i)
        wrong += result[i] != -signal[i];
    return verdict(wrong);
}
