// source: tilelang#2556, a required barrier is dropped where the active threads are no multiple of 32
// cause: Forty-eight threads exchange values through shared memory inside a branch, and no barrier separates writes and
//     reads.
// rule: read-after-write-race
#include <cstdio>
#include <vector>

constexpr int threads = 64, active = 48;

__global__ void mirror(const int* in, int* out) {
    __shared__ int tile[threads];
    const int t = threadIdx.x;
    if (t < active) {
        tile[t] = in[t];                   // <-- cause
        out[t] = tile[active - 1 - t] + 1; // <-- cause
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
    const std::vector<int> in = numbers(threads);
    int* out = to_device(in);
    mirror<<<1, threads>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, active);
    int wrong = 0;
    for (int t = 0; t < active; ++t)
        wrong += result[t] != in[active - 1 - t] + 1;
    return verdict(wrong);
}
