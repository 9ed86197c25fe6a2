// source: TIRx-kernels#202, one elected lane publishes shared-memory writes before the rest of its warp has joined
// cause: The elected lane stores the row with TMA and nothing orders the other lanes' writes before that: a
//     __syncwarp is missing.
// rule: fence-without-barrier
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int width = 128, rows = 8;

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

// Each warp negates a row and stores it with TMA.
__global__ void negate(const int* in, int* out) {
    __shared__ alignas(128) int row[rows][width];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = lane; i < width; i += 32)
        row[warp][i] = -in[warp * width + i]; // <-- cause
    fence_async();
    if (lane == 0) {
        store(out + warp * width, row[warp], sizeof row[0]); // <-- cause
        wait_read();
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
    const std::vector<int> in = numbers(rows * width);
    int* out = to_device(std::vector<int>(in.size()));
    negate<<<1, rows * 32>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, rows * width);
    int wrong = 0;
    for (int i = 0; i < rows * width; ++i)
        wrong += result[i] != -in[i];
    return verdict(wrong);
}
