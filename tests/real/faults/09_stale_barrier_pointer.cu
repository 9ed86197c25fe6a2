// source: TensorRT-LLM#15338, the consumer polls the barrier of its first stage for ever because the pointer is not
//     updated
// cause: The wait asks the first stage's barrier while the data of this iteration is tracked by another stage's
//     barrier.
// rule: stale-phase-wait|missing-wait|read-before-completion
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int tile = 128, tiles = 8, stages = 4, workers = 128;

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

__global__ void add_one(const int* in, int* out) {
    __shared__ alignas(128) int ring[stages][tile];
    __shared__ uint64_t full[stages], empty[stages];
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; ++s) {
            init(&full[s], 1);
            init(&empty[s], workers);
        }
        fence_init();
    }
    __syncthreads();
    if (threadIdx.x < workers) {
        int stage = 0, parity = 0;
        uint64_t* const ready = &full[stage];
        for (int t = 0; t < tiles; ++t) {
            wait(ready, parity); // <-- cause
            out[t * tile + threadIdx.x] = ring[stage][threadIdx.x ^ 1] + 1;
            fence_async();
            arrive(&empty[stage]);
            if (++stage == stages) {
                stage = 0;
                parity ^= 1;
            }
        }
    } else if (threadIdx.x == workers) {
        for (int t = 0; t < tiles; ++t) {
            const int stage = t % stages;
            wait(&empty[stage], (t / stages & 1) ^ 1);
            arrive_expect(&full[stage], sizeof ring[0]);
            load(ring[stage], in + t * tile, sizeof ring[0], &full[stage]);
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
    add_one<<<1, workers + 32>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, tiles * tile);
    int wrong = 0;
    for (int i = 0; i < tiles * tile; ++i)
        wrong += result[i] != in[i ^ 1] + 1;
    return verdict(wrong);
}
