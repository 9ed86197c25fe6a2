// source: Fuser#2005, the predicated cp.async of the last iterations still write zeros when the loop is over (#2000)
// cause: The copies of tiles beyond the end fill their stage with zeros and are never waited for, and the stage is
//     reused after the loop.
// rule: write-before-completion
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int tile = 128, tiles = 5, stages = 3;

__device__ unsigned smem(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void copy4(void* to, const void* from, int bytes = 4) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(smem(to)), "l"(from), "r"(bytes) : "memory");
}

__device__ void commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int N>
__device__ void wait_group() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

// Sums the tiles; the ring is reused for the reduction at the end.
__global__ void total(const int* in, int* out) {
    __shared__ int ring[stages][tile];
    const int i = threadIdx.x;
    for (int t = 0; t < stages - 1; ++t) {
        copy4(&ring[t][i], in + t * tile + i);
        commit();
    }
    int sum = 0;
    for (int t = 0; t < tiles; ++t) {
        const int next = t + stages - 1;
        copy4(&ring[next % stages][i], in + (next < tiles ? next * tile + i : 0), next < tiles ? 4 : 0); // <-- cause
        commit();
        wait_group<stages - 1>();
        sum += ring[t % stages][i];
    }
    __syncthreads();
    int* const partial = ring[tiles % stages];
    partial[i] = sum; // <-- cause
    __syncthreads();
    for (int step = tile / 2; step > 0; step /= 2) {
        if (i < step)
            partial[i] += partial[i + step];
        __syncthreads();
    }
    if (i == 0)
        *out = partial[0];
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
    int* out = to_device({0});
    total<<<1, tile>>>(to_device(in), out);
    int sum = 0;
    for (const int value : in)
        sum += value;
    return verdict(to_host(out, 1)[0] != sum);
}
