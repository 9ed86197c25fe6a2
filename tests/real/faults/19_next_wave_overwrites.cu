// source: TileOPs#1550, the epilogue buffer of a persistent kernel is refilled while the previous wave's TMA store
//     reads it
// cause: The leader waits until its store has read the tile, but no barrier keeps the other threads from writing the
//     next wave's tile before that.
// rule: source-modified-in-flight
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int tile = 128, groups = 2, waves = 3;

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

__device__ void group_sync(int group) {
    asm volatile("bar.sync %0, 128;" ::"r"(4 + group) : "memory");
}

// Each warp group has an epilogue buffer of its own, used in every wave.
__global__ void epilogue(const int* in, int* out) {
    __shared__ alignas(128) int staged[groups][tile];
    const int group = threadIdx.x / tile, i = threadIdx.x % tile;
    for (int wave = 0; wave < waves; ++wave) {
        const int at = (wave * groups + group) * tile;
        staged[group][i] = in[at + i] + wave; // <-- cause
        fence_async();
        group_sync(group);
        if (i == 0) {
            store(out + at, staged[group], sizeof staged[0]); // <-- cause
            wait_read();
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
    const std::vector<int> in = numbers(waves * groups * tile);
    int* out = to_device(std::vector<int>(in.size()));
    epilogue<<<1, groups * tile>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, int(in.size()));
    int wrong = 0;
    for (size_t i = 0; i < in.size(); ++i)
        wrong += result[i] != in[i] + int(i) / (groups * tile);
    return verdict(wrong);
}
