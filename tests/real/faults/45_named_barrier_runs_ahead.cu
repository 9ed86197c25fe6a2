// source: flashinfer#4732, math warps arrive twice on a named barrier before the I/O warps have waited once (hang of
//     #3700)
// cause: The math warps arrive on barrier 1 for the next tile before the I/O warp has synchronised on it for this
//     one, so arrivals of two tiles are counted together.
// rule: barrier-overflow
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int tile = 64, tiles = 7;

template <int Threads>
__device__ void bar_arrive(int id) {
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "n"(Threads) : "memory");
}
template <int Threads>
__device__ void bar_sync(int id) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "n"(Threads) : "memory");
}

// Two math warps fill two buffers in turn; an I/O warp writes them out and gives them back by barriers 2 and 3.
__global__ void stream(const int* in, int* out) {
    __shared__ int buffer[2][tile];
    if (threadIdx.x < tile) {
        for (int t = 0; t < tiles; ++t) {
            if (t >= 2)
                bar_sync<tile + 32>(2 + t % 2);
            buffer[t % 2][threadIdx.x] = 4 * in[t * tile + threadIdx.x];
            bar_arrive<tile + 32>(1); // <-- cause
        }
    } else {
        for (int t = 0; t < tiles; ++t) {
            bar_sync<tile + 32>(1); // <-- cause
            for (int i = threadIdx.x - tile; i < tile; i += 32)
                out[t * tile + i] = buffer[t % 2][tile - 1 - i];
            if (t + 2 < tiles)
                bar_arrive<tile + 32>(2 + t % 2);
        }
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
    stream<<<1, tile + 32>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, tiles * tile);
    int wrong = 0;
    for (int i = 0; i < tiles * tile; ++i)
        wrong += result[i] != 4 * in[i / tile * tile + tile - 1 - i % tile];
    return verdict(wrong);
}
