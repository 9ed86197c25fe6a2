// why: seven blocks of a cluster return at once without a cluster barrier, and nobody touches their shared memory
//     (asked about in sglang#25575)
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int threads = 64;

__device__ unsigned smem(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ unsigned rank() {
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}

__device__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Long rows are shared by the cluster, short ones belong to its first block.
__global__ void __cluster_dims__(4) row_sum(const int* in, const int* lengths, int* out) {
    const int row = blockIdx.x / 4, length = lengths[row];
    const int* mine = in + row * 4 * threads;
    if (length <= threads) {
        if (rank() != 0)
            return;
        const int value = threadIdx.x < length ? mine[threadIdx.x] : 0;
        if (value)
            atomicAdd(&out[row], value);
    } else {
        const int i = rank() * threads + threadIdx.x;
        const int value = i < length ? mine[i] : 0;
        cluster_sync();
        if (value)
            atomicAdd(&out[row], value);
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
    const std::vector<int> in = numbers(3 * 4 * threads), lengths{50, 200, 256};
    int* out = to_device({0, 0, 0});
    row_sum<<<12, threads>>>(to_device(in), to_device(lengths), out);
    const std::vector<int> result = to_host(out, 3);
    int wrong = 0;
    for (int r = 0; r < 3; ++r) {
        int sum = 0;
        for (int i = 0; i < lengths[r]; ++i)
            sum += in[r * 4 * threads + i];
        wrong += result[r] != sum;
    }
    return verdict(wrong);
}
