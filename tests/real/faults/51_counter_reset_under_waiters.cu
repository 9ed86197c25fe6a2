// source: flashinfer#3615, the arrival counter of a software grid barrier is reset while other blocks still poll it
// cause: Block 0 resets the counter as soon as it has passed, so a block that has not polled since never sees the
//     full count.
// rule: deadlock|runaway-loop
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int threads = 32, blocks = 4;

__device__ void grid_barrier(unsigned* arrived, unsigned* left) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        unsigned seen = 0;
        while (seen < gridDim.x) // <-- cause
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(arrived) : "memory");
        __threadfence();
        if (blockIdx.x == 0)
            atomicExch(arrived, 0); // <-- cause
    }
    __syncthreads();
}

// Every block needs the values of the next one.
__global__ void neighbours(const int* in, int* between, int* out, unsigned* counters) {
    const int i = blockIdx.x * threads + threadIdx.x;
    between[i] = in[i] + 1;
    grid_barrier(&counters[0], &counters[1]);
    out[i] = between[(i + threads) % (blocks * threads)];
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
    const int n = blocks * threads;
    const std::vector<int> in = numbers(n);
    int *between = to_device(std::vector<int>(n)), *out = to_device(std::vector<int>(n));
    neighbours<<<blocks, threads>>>(to_device(in), between, out, reinterpret_cast<unsigned*>(to_device({0, 0})));
    const std::vector<int> result = to_host(out, n);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != in[(i + threads) % n] + 1;
    return verdict(wrong);
}
