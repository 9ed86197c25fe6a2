// why: the end of the kernel completes its bulk stores for the next kernel, so waiting for the source to be read is
//     enough
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int tile = 256, blocks = 3;

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

__global__ void fill(int* between) {
    __shared__ alignas(128) int buffer[tile];
    buffer[threadIdx.x] = blockIdx.x * tile + threadIdx.x;
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        store(between + blockIdx.x * tile, buffer, sizeof buffer);
        wait_read();
    }
}

__global__ void twice(const int* between, int* out) {
    const int i = blockIdx.x * tile + threadIdx.x;
    out[i] = 2 * between[blocks * tile - 1 - i];
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
    const int n = blocks * tile;
    int *between = to_device(std::vector<int>(n)), *out = to_device(std::vector<int>(n));
    fill<<<blocks, tile>>>(between);
    twice<<<blocks, tile>>>(between, out);
    const std::vector<int> result = to_host(out, n);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != 2 * (n - 1 - i);
    return verdict(wrong);
}
