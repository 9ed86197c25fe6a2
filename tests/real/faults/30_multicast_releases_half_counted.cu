// source: DeepGEMM#51, why an empty barrier counts the consumers of all blocks that a multicast writes
// cause: The leader's empty barrier counts the consumers of one block although those of both blocks arrive on it in
//     each phase.
// rule: early-phase|barrier-overflow|refill-while-read
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int tile = 64, tiles = 5, consumers = 64;

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

__device__ void fence_async() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ unsigned rank() {
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}

__device__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ unsigned peer(const void* p, unsigned rank) {
    unsigned address;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(smem(p)), "r"(rank));
    return address;
}

__device__ void load_multicast(void* to, const void* from, unsigned bytes, uint64_t* bar, uint16_t mask) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1], %2, [%3], %4;" ::"r"(smem(to)),
                 "l"(from), "r"(bytes), "r"(smem(bar)), "h"(mask)
                 : "memory");
}

__device__ void arrive_peer(uint64_t* bar, unsigned rank) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(peer(bar, rank)) : "memory");
}

__device__ void wait_cluster(uint64_t* bar, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(smem(bar)), "r"(parity)
                     : "memory");
}

// The leader's extra warp loads each tile for both blocks, once all consumers of both have released the buffer.
__global__ void __cluster_dims__(2) broadcast(const int* in, int* out) {
    __shared__ alignas(128) int buffer[tile];
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&empty, consumers); // <-- cause
        fence_init();
    }
    cluster_sync();
    if (threadIdx.x >= consumers) {
        for (int t = 0; t < tiles && threadIdx.x == consumers && rank() == 0; ++t) {
            wait_cluster(&empty, (t & 1) ^ 1);
            load_multicast(buffer, in + t * tile, sizeof buffer, &full, 3);
        }
    } else {
        int sum = 0;
        for (int t = 0; t < tiles; ++t) {
            if (threadIdx.x == 0)
                arrive_expect(&full, sizeof buffer);
            wait(&full, t & 1);
            sum += (t + 1 + rank()) * buffer[tile - 1 - threadIdx.x];
            fence_async();
            arrive_peer(&empty, 0); // <-- cause
        }
        out[rank() * tile + threadIdx.x] = sum;
    }
    __syncwarp();
    cluster_sync();
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
    int* out = to_device(std::vector<int>(2 * tile));
    broadcast<<<2, consumers + 32>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, 2 * tile);
    int wrong = 0;
    for (int i = 0; i < 2 * tile; ++i) {
        int sum = 0;
        for (int t = 0; t < tiles; ++t)
            sum += (t + 1 + i / tile) * in[t * tile + tile - 1 - i % tile];
        wrong += result[i] != sum;
    }
    return verdict(wrong);
}
