// source: cutlass#2364, mbarrier_init_tx_bytes does not initialise: it arrives and expects bytes, and the launch
//     failed
// cause: The barrier is used by arrive.expect_tx, but nothing has initialised it.
// rule: barrier-uninitialised
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int tile = 256;

__device__ unsigned smem(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void init(uint64_t* bar, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem(bar)), "r"(count) : "memory");
}

__device__ void fence_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ void arrive_expect(uint64_t* bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem(bar)), "r"(bytes) : "memory");
}

__device__ void wait(uint64_t* bar, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(smem(bar)), "r"(parity)
                     : "memory");
}

__device__ void load(void* to, const void* from, unsigned bytes, uint64_t* bar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(smem(to)),
                 "l"(from), "r"(bytes), "r"(smem(bar))
                 : "memory");
}

__global__ void copy(const int* in, int* out) {
    __shared__ alignas(128) int buffer[tile];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        fence_init();
        arrive_expect(&bar, sizeof buffer); // <-- cause
    }
    __syncthreads();
    if (threadIdx.x == 0)
        load(buffer, in, sizeof buffer, &bar);
    wait(&bar, 0);
    out[threadIdx.x] = buffer[threadIdx.x] + 1;
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
    int* out = to_device(std::vector<int>(tile));
    copy<<<1, tile>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, tile);
    int wrong = 0;
    for (int i = 0; i < tile; ++i)
        wrong += result[i] != in[i] + 1;
    return verdict(wrong);
}
