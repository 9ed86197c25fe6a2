// source: llama.cpp#28358, idle lanes write their zero padding over the scales that other lanes store
// cause: Lanes 16 to 31 write zeros behind the quantised values, where lanes 0 and 8 store the scales without order.
// rule: write-after-write-race
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int values = 16, rows = 4;

__global__ void quantise(const int* in, int* out) {
    __shared__ int row[rows][values + 2 + 16];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int* const quants = row[warp];
    int* const scales = quants + values;
    const int value = lane < values ? in[warp * values + lane] : 0;
    int largest = value;
    for (int step = 4; step > 0; step /= 2)
        largest = max(largest, __shfl_xor_sync(~0u, largest, step));
    quants[lane] = value >> 2; // <-- cause
    if (lane == 0 || lane == 8)
        scales[lane / 8] = largest; // <-- cause
    __syncwarp();
    if (lane < values + 2)
        out[warp * (values + 2) + lane] = row[warp][lane];
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
    const std::vector<int> in = numbers(rows * values);
    int* out = to_device(std::vector<int>(rows * (values + 2)));
    quantise<<<1, rows * 32>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, rows * (values + 2));
    int wrong = 0;
    for (int r = 0; r < rows; ++r)
        for (int i = 0; i < values + 2; ++i) {
            int expected = i < values ? in[r * values + i] >> 2 : 0;
            for (int k = 0; i >= values && k < 8; ++k)
                expected = std::max(expected, in[r * values + (i - values) * 8 + k]);
            wrong += result[r * (values + 2) + i] != expected;
        }
    return verdict(wrong);
}
