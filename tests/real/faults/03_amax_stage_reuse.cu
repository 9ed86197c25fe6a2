// source: TransformerEngine#2695, a race in the amax kernels between reading a stage and the TMA copy that refills it
// cause: The threads read the stage through the generic proxy and no proxy fence orders those reads before the next
//     TMA load into it.
// rule: missing-proxy-fence
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int tile = 512, tiles = 6, threads = 128;

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

__device__ void fence_async() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// The largest magnitude of a row, tile by tile through one buffer.
__global__ void amax(const int* in, int* out) {
    __shared__ alignas(128) int stage[tile];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        fence_init();
    }
    __syncthreads();
    int largest = 0;
    for (int t = 0; t < tiles; ++t) {
        if (threadIdx.x == 0) {
            arrive_expect(&full, sizeof stage);
            load(stage, in + (blockIdx.x * tiles + t) * tile, sizeof stage, &full); // <-- cause
        }
        wait(&full, t & 1);
        for (int i = threadIdx.x; i < tile; i += threads)
            largest = max(largest, abs(stage[i])); // <-- cause
        __syncthreads();
    }
    atomicMax(&out[blockIdx.x], largest);
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
    const std::vector<int> in = numbers(2 * tiles * tile);
    int* out = to_device({0, 0});
    amax<<<2, threads>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, 2);
    int wrong = 0;
    for (int b = 0; b < 2; ++b) {
        int largest = 0;
        for (int i = 0; i < tiles * tile; ++i)
            largest = std::max(largest, in[b * tiles * tile + i]);
        wrong += result[b] != largest;
    }
    return verdict(wrong);
}
