// source: Fuser#1552, MbarrierTest.Simple hangs on an H100: no __syncthreads after the initialisation
// cause: Thread 0 initialises the barrier and the other threads arrive on it without having synchronised with thread
//     0.
// rule: barrier-init-race
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int threads = 256;

__device__ unsigned smem(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void init(uint64_t* bar, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem(bar)), "r"(count) : "memory");
}

__device__ void arrive(uint64_t* bar) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(smem(bar)) : "memory");
}

__device__ void wait(uint64_t* bar, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(smem(bar)), "r"(parity)
                     : "memory");
}

__global__ void reverse(const int* in, int* out) {
    __shared__ int tile[threads];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        init(&bar, threads); // <-- cause
    tile[threadIdx.x] = in[threadIdx.x];
    arrive(&bar); // <-- cause
    wait(&bar, 0);
    out[threadIdx.x] = tile[threads - 1 - threadIdx.x];
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
    int* out = to_device(std::vector<int>(threads));
    reverse<<<1, threads>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, threads);
    int wrong = 0;
    for (int i = 0; i < threads; ++i)
        wrong += result[i] != in[threads - 1 - i];
    return verdict(wrong);
}
