// source: tilelang#2668, software pipelining moves the copy that overwrites a buffer ahead of the code that reads it
// cause: The copy of the next tile into the buffer is issued before all threads have read the current one.
// rule: refill-while-read
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int tile = 256, tiles = 5, threads = 64;

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

__global__ void reverse_tiles(const int* in, int* out) {
    __shared__ alignas(16) int buffer[tile];
    const int mine = 4 * threadIdx.x;
    copy16(&buffer[mine], in + mine);
    commit();
    for (int t = 0; t < tiles; ++t) {
        wait_group<0>();
        __syncthreads();
        int values[4];
        for (int k = 0; k < 4; ++k)
            values[k] = buffer[tile - 1 - mine - k]; // <-- cause
        if (t + 1 < tiles) {
            copy16(&buffer[mine], in + (t + 1) * tile + mine); // <-- cause
            commit();
        }
        for (int k = 0; k < 4; ++k)
            out[t * tile + mine + k] = values[k];
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
    reverse_tiles<<<1, threads>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, tiles * tile);
    int wrong = 0;
    for (int i = 0; i < tiles * tile; ++i)
        wrong += result[i] != in[i / tile * tile + tile - 1 - i % tile];
    return verdict(wrong);
}
