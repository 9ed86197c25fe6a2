// source: TIRx-kernels#202, ordinary stores of zeros are mixed with cp.async completion for rows out of bounds
// cause: The arrival that cp.async.mbarrier.arrive makes covers the thread's copies and not its ordinary stores, so
//     the zeros are not ordered before the reader.
// rule: read-after-write-race
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int width = 32, rows = 8, valid = 5;

__device__ unsigned smem(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void init(uint64_t* bar, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem(bar)), "r"(count) : "memory");
}

__device__ void wait(uint64_t* bar, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(smem(bar)), "r"(parity)
                     : "memory");
}

__device__ void copy4(void* to, const void* from, int bytes = 4) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(smem(to)), "l"(from), "r"(bytes) : "memory");
}

__device__ void arrive_when_copied(uint64_t* bar) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(smem(bar)) : "memory");
}

// Producer warps copy rows, with zeros beyond the last one; the consumer warp adds up columns.
__global__ void column_sums(const int* in, int* out) {
    __shared__ int tile[rows][width];
    __shared__ uint64_t full;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        init(&full, rows * 32);
    __syncthreads();
    if (warp < rows) {
        if (warp < valid)
            copy4(&tile[warp][lane], in + warp * width + lane);
        else
            tile[warp][lane] = 0; // <-- cause
        arrive_when_copied(&full);
    } else {
        wait(&full, 0);
        int sum = 0;
        for (int r = 0; r < rows; ++r)
            sum += tile[r][lane]; // <-- cause
        out[lane] = sum;
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
    const std::vector<int> in = numbers(valid * width);
    int* out = to_device(std::vector<int>(width));
    column_sums<<<1, (rows + 1) * 32>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, width);
    int wrong = 0;
    for (int x = 0; x < width; ++x) {
        int sum = 0;
        for (int y = 0; y < valid; ++y)
            sum += in[y * width + x];
        wrong += result[x] != sum;
    }
    return verdict(wrong);
}
