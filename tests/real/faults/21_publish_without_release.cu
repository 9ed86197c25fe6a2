// source: DeepEP#715, the path that publishes TMA-stored tokens to other ranks lacks a release before its signal
// cause: The flag is stored relaxed after the bulk store was waited for, so the reader of the flag is not ordered
//     after the stored bytes.
// rule: missing-barrier-after-wait|read-after-write-race
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int tile = 128;

__device__ unsigned smem(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void store(void* to, const void* from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(smem(from)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__device__ void wait_stored() {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

__device__ void fence_async() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Block 0 stores a tile with TMA and signals; block 1 waits for the signal and uses the tile.
__global__ void publish(const int* in, int* shared_tile, int* signal, int* out) {
    __shared__ alignas(128) int buffer[tile];
    if (blockIdx.x == 0) {
        buffer[threadIdx.x] = in[threadIdx.x] + 9;
        fence_async();
        __syncthreads();
        if (threadIdx.x == 0) {
            store(shared_tile, buffer, sizeof buffer); // <-- cause
            wait_stored();
            asm volatile("st.relaxed.gpu.s32 [%0], 1;" ::"l"(signal) : "memory"); // <-- cause
        }
    } else {
        int seen = 0;
        while (threadIdx.x == 0 && !seen)
            asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(seen) : "l"(signal) : "memory");
        __syncthreads();
        out[threadIdx.x] = shared_tile[tile - 1 - threadIdx.x]; // <-- cause
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
    const std::vector<int> in = numbers(tile);
    int *out = to_device(std::vector<int>(tile)), *between = to_device(std::vector<int>(tile, -1));
    publish<<<2, tile>>>(to_device(in), between, to_device({0}), out);
    const std::vector<int> result = to_host(out, tile);
    int wrong = 0;
    for (int i = 0; i < tile; ++i)
        wrong += result[i] != in[tile - 1 - i] + 9;
    return verdict(wrong);
}
