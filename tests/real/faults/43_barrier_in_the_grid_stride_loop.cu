// source: cudf#20370, the idle threads of a hash groupby kernel do not take part in the loop's block barriers
// cause: Lanes whose row is beyond the end leave the loop and reach the barrier after it, while the rest of their
//     warp stands at the one in the loop.
// rule: divergent-barrier
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int threads = 64, rows = 100;

// Counts the rows whose value is odd: after each round, and squared at the end.
__global__ void count_odd(const int* in, int* out) {
    __shared__ int odd;
    if (threadIdx.x == 0)
        odd = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < rows; i += threads) {
        if (in[i] % 2)
            atomicAdd(&odd, 1);
        __syncthreads(); // <-- cause
        if (threadIdx.x == 0)
            out[i / threads] = odd;
        __syncthreads(); // <-- cause
    }
    if (threadIdx.x == 0)
        odd *= odd;
    __syncthreads(); // <-- cause
    if (threadIdx.x == threads - 1)
        out[2] = odd;
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
    const std::vector<int> in = numbers(rows);
    int* out = to_device({0, 0, 0});
    count_odd<<<1, threads>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, 3);
    int odd[3] = {};
    for (int i = 0; i < rows; ++i)
        for (int b = i / threads; b < 2; ++b)
            odd[b] += in[i] % 2;
    odd[2] = odd[1] * odd[1];
    return verdict((result[0] != odd[0]) + (result[1] != odd[1]) + (result[2] != odd[2]));
}
