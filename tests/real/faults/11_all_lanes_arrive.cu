// source: DeepEP#293, an mbarrier of one expected arrival on which all lanes of the warp arrive
// cause: The barrier is initialised for one arrival and 32 lanes arrive on it in each phase.
// rule: barrier-overflow|early-phase
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int hidden = 512, tokens = 3;

__device__ unsigned smem(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void init(uint64_t* bar, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem(bar)), "r"(count) : "memory");
}

__device__ void fence_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ void arrive(uint64_t* bar) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(smem(bar)) : "memory");
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

__device__ void expect(uint64_t* bar, unsigned bytes) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(smem(bar)), "r"(bytes) : "memory");
}

// A warp takes its tokens through shared memory.
__global__ void forward(const int* in, int* out) {
    __shared__ alignas(128) int buffer[hidden];
    __shared__ uint64_t bar;
    const int lane = threadIdx.x;
    if (lane == 0) {
        init(&bar, 1); // <-- cause
        fence_init();
    }
    __syncwarp();
    for (int t = 0; t < tokens; ++t) {
        if (lane == 0) {
            expect(&bar, sizeof buffer);
            load(buffer, in + t * hidden, sizeof buffer, &bar);
        }
        __syncwarp();
        arrive(&bar); // <-- cause
        wait(&bar, t & 1);
        for (int i = lane; i < hidden; i += 32)
            out[t * hidden + i] = buffer[hidden - 1 - i];
        fence_async();
        __syncwarp();
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
    const std::vector<int> in = numbers(tokens * hidden);
    int* out = to_device(std::vector<int>(in.size()));
    forward<<<1, 32>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, tokens * hidden);
    int wrong = 0;
    for (int i = 0; i < tokens * hidden; ++i)
        wrong += result[i] != in[i / hidden * hidden + hidden - 1 - i % hidden];
    return verdict(wrong);
}
