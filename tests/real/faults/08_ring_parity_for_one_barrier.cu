// source: tilelang#3087, an explicit mbarrier waited for with the parity of the stage ring, which flips every
//     num_stages iterations
// cause: The barrier completes a phase in each iteration, but the wait's parity changes only every third one, so it
//     returns for an old phase.
// rule: stale-phase-wait|refill-while-read
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int tile = 128, tiles = 9, stages = 3;

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

// Three stages are kept filled; `done` completes once per tile, when all threads have used it.
__global__ void square(const int* in, int* out) {
    __shared__ alignas(128) int ring[stages][tile];
    __shared__ uint64_t full[stages], done;
    if (threadIdx.x == 0) {
        for (auto& bar : full)
            init(&bar, 1);
        init(&done, tile);
        fence_init();
        for (int s = 0; s < stages; ++s) {
            arrive_expect(&full[s], sizeof ring[0]);
            load(ring[s], in + s * tile, sizeof ring[0], &full[s]);
        }
    }
    __syncthreads();
    for (int t = 0; t < tiles; ++t) {
        const int stage = t % stages;
        wait(&full[stage], t / stages & 1);
        const int value = ring[stage][tile - 1 - threadIdx.x];
        out[t * tile + threadIdx.x] = value * value;
        fence_async();
        arrive(&done);
        wait(&done, t / stages & 1); // <-- cause
        if (threadIdx.x == 0 && t + stages < tiles) {
            arrive_expect(&full[stage], sizeof ring[0]);
            load(ring[stage], in + (t + stages) * tile, sizeof ring[0], &full[stage]);
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
    square<<<1, tile>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, tiles * tile);
    int wrong = 0;
    for (int i = 0; i < tiles * tile; ++i) {
        const int value = in[i / tile * tile + tile - 1 - i % tile];
        wrong += result[i] != value * value;
    }
    return verdict(wrong);
}
