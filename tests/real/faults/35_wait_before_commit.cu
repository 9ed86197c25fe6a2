// source: csarofeen/pytorch#2457, wrong rows with cp.async.cg: the main loop waits before it commits, so it waits for
//     nothing
// cause: The loop waits for all but two groups before it commits this iteration's copies, so the group that is read
//     next is not covered.
// rule: read-before-completion
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int tile = 512, tiles = 10, stages = 4, threads = 128;

__device__ unsigned smem(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void copy16(void* to, const void* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(smem(to)), "l"(from) : "memory");
}

__device__ void commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int N>
__device__ void wait_group() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

__global__ void negate(const int* in, int* out) {
    __shared__ alignas(16) int ring[stages][tile];
    const int mine = 4 * threadIdx.x;
    for (int t = 0; t < stages - 1; ++t) {
        copy16(&ring[t][mine], in + t * tile + mine);
        commit();
    }
    wait_group<stages - 2>();
    __syncthreads();
    for (int t = 0; t < tiles; ++t) {
        const int next = t + stages - 1;
        if (next < tiles)
            copy16(&ring[next % stages][mine], in + next * tile + mine);
        for (int i = threadIdx.x; i < tile; i += threads)
            out[t * tile + i] = -ring[t % stages][tile - 1 - i]; // <-- cause
        wait_group<stages - 2>();                                // <-- cause
        commit();
        __syncthreads();
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
    const std::vector<int> in = numbers(tiles * tile);
    int* out = to_device(std::vector<int>(in.size()));
    negate<<<1, threads>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, tiles * tile);
    int wrong = 0;
    for (int i = 0; i < tiles * tile; ++i)
        wrong += result[i] != -in[i / tile * tile + tile - 1 - i % tile];
    return verdict(wrong);
}
