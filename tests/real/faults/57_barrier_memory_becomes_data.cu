// source: triton#3858, the shared memory of an mbarrier is reused without mbarrier.inval: sporadic memory corruption
// cause: The memory of a live mbarrier is overwritten with data: it was not invalidated after its last use.
// rule: barrier-reinitialised
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int tile = 128;

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

// The reduction at the end reuses the memory of the barrier.
__global__ void total(const int* in, int* out) {
    __shared__ alignas(128) int buffer[tile];
    __shared__ alignas(8) int scratch[tile / 32];
    auto* const full = reinterpret_cast<uint64_t*>(scratch);
    if (threadIdx.x == 0) {
        init(full, 1);
        fence_init();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        arrive_expect(full, sizeof buffer);
        load(buffer, in, sizeof buffer, full);
    }
    wait(full, 0);
    const int sum = __reduce_add_sync(~0u, buffer[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        scratch[threadIdx.x / 32] = sum; // <-- cause
    __syncthreads();
    if (threadIdx.x == 0)
        *out = scratch[0] + scratch[1] + scratch[2] + scratch[3];
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
    int* out = to_device({0});
    total<<<1, tile>>>(to_device(in), out);
    int sum = 0;
    for (const int value : in)
        sum += value;
    return verdict(to_host(out, 1)[0] != sum);
}
