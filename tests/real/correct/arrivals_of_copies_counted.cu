// why: with .noinc the arrivals of the copies are part of the count that the barrier was initialised with
#include <cstdint>
#include <cstdio>
#include <cuda/ptx>
#include <vector>

constexpr int tile = 256, threads = 64;

__device__ unsigned smem(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void init(uint64_t* bar, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem(bar)), "r"(count) : "memory");
}

__device__ void wait(uint64_t* bar, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(smem(bar)), "r"(parity)
                     : "memory");
}

__device__ void copy16(void* to, const void* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(smem(to)), "l"(from) : "memory");
}

__global__ void rotate(const int* in, int* out) {
    __shared__ alignas(16) int buffer[tile];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        init(&bar, threads);
    __syncthreads();
    copy16(&buffer[4 * threadIdx.x], in + 4 * threadIdx.x);
    cuda::ptx::cp_async_mbarrier_arrive_noinc(&bar);
    wait(&bar, 0);
    for (int i = threadIdx.x; i < tile; i += threads)
        out[i] = buffer[(i + 5) % tile];
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
    const std::vector<int> in = numbers(tile);
    int* out = to_device(std::vector<int>(tile));
    rotate<<<1, threads>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, tile);
    int wrong = 0;
    for (int i = 0; i < tile; ++i)
        wrong += result[i] != in[(i + 5) % tile];
    return verdict(wrong);
}
