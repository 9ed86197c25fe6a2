// source: quda#276, threads beyond the end return before they have stored their part of a block reduction
// cause: The threads beyond the end have returned without storing a value that the reduction adds up.
// rule: uninitialised-read
#include <cstdio>
#include <vector>

constexpr int threads = 128;

__global__ void plaquette(const double* link, int n, double* out) {
    __shared__ double part[threads];
    const int i = blockIdx.x * threads + threadIdx.x;
    if (i >= n)
        return;
    part[threadIdx.x] = 2.0 * link[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        double sum = 0;
        for (int t = 0; t < threads; ++t)
            sum += part[t]; // <-- cause
        out[blockIdx.x] = sum;
    }
}

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    constexpr int n = 200;
    double host[n], *link, *out, result[2], expected[2] = {};
    for (int i = 0; i < n; ++i)
        expected[i / threads] += 2.0 * (host[i] = i % 13);
    cudaMalloc(&link, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(link, host, sizeof host, cudaMemcpyHostToDevice);
    plaquette<<<2, threads>>>(link, n, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    return verdict((result[0] != expected[0]) + (result[1] != expected[1]));
}
