// source: picongpu#2231, a shared histogram is added to the global one with the atomics of the wrong level
// cause: The blocks add their histograms to the global one with atomicAdd_block, which is atomic within a block only.
// rule: scope-too-narrow
#include <cstdio>
#include <vector>

constexpr int threads = 128, blocks = 4, bins = 16;

__global__ void histogram(const unsigned* in, unsigned* out) {
    __shared__ unsigned local[bins];
    if (threadIdx.x < bins)
        local[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd_block(&local[in[blockIdx.x * threads + threadIdx.x] % bins], 1u);
    __syncthreads();
    if (threadIdx.x < bins && local[threadIdx.x] != 0)
        atomicAdd_block(&out[threadIdx.x], local[threadIdx.x]); // <-- cause
}

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    unsigned host[blocks * threads], expected[bins] = {}, result[bins], *in, *out;
    for (int i = 0; i < blocks * threads; ++i)
        ++expected[(host[i] = i * i % 251) % bins];
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof result);
    histogram<<<blocks, threads>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int b = 0; b < bins; ++b)
        wrong += result[b] != expected[b];
    return verdict(wrong);
}
