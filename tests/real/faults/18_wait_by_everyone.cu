// source: TransformerEngine#3417, threads that did not issue the TMA store wait for it and overwrite its source
// cause: Every thread waits for bulk groups, but only thread 0 has committed any: the others overwrite the tile while
//     its store still reads it.
// rule: waited-by-another-thread
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int tile = 256, tiles = 4;

__device__ unsigned smem(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void store(void* to, const void* from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(smem(from)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__device__ void wait_read() {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

__device__ void fence_async() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__global__ void scale(const int* in, int* out) {
    __shared__ alignas(128) int buffer[tile];
    for (int t = 0; t < tiles; ++t) {
        wait_read();                                          // <-- cause
        buffer[threadIdx.x] = 3 * in[t * tile + threadIdx.x]; // <-- cause
        fence_async();
        __syncthreads();
        if (threadIdx.x == 0)
            store(out + t * tile, buffer, sizeof buffer);
    }
    wait_read();
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
    scale<<<1, tile>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, tiles * tile);
    int wrong = 0;
    for (int i = 0; i < tiles * tile; ++i)
        wrong += result[i] != 3 * in[i];
    return verdict(wrong);
}
