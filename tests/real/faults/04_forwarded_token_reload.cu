// source: DeepEP#642, a fence between the mbarrier wait and the next TMA load fixed wrong tokens (reported in #621)
// cause: A warp reads the token from shared memory and its lane reuses the buffer for the next TMA load without a
//     proxy fence in between.
// rule: missing-proxy-fence
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int hidden = 256, tokens = 5, warps = 2;

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

// Each warp adds up the tokens of its channel, one after the other through its own buffer.
__global__ void combine(const int* in, int* out) {
    __shared__ alignas(128) int buffer[warps][hidden];
    __shared__ uint64_t arrived[warps];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane == 0) {
        init(&arrived[warp], 1);
        fence_init();
    }
    __syncwarp();
    int sum[hidden / 32] = {};
    for (int t = 0; t < tokens; ++t) {
        if (lane == 0) {
            arrive_expect(&arrived[warp], sizeof buffer[0]);
            load(buffer[warp], in + (warp * tokens + t) * hidden, sizeof buffer[0], &arrived[warp]); // <-- cause
        }
        wait(&arrived[warp], t & 1);
        for (int i = 0; i < hidden / 32; ++i)
            sum[i] += buffer[warp][i * 32 + lane]; // <-- cause
        __syncwarp();
    }
    for (int i = 0; i < hidden / 32; ++i)
        out[warp * hidden + i * 32 + lane] = sum[i];
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
    const std::vector<int> in = numbers(warps * tokens * hidden);
    int* out = to_device(std::vector<int>(warps * hidden));
    combine<<<1, warps * 32>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, warps * hidden);
    int wrong = 0;
    for (int w = 0; w < warps; ++w)
        for (int i = 0; i < hidden; ++i) {
            int sum = 0;
            for (int t = 0; t < tokens; ++t)
                sum += in[(w * tokens + t) * hidden + i];
            wrong += result[w * hidden + i] != sum;
        }
    return verdict(wrong);
}
