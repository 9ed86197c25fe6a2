// source: cutlass#3324, a ClusterBarrier of block scope coordinates two blocks, and the leader reads stale shared
//     memory
// cause: The arrival on the peer's barrier releases at block scope, so it does not order this block's writes before
//     the peer's reads.
// rule: scope-too-narrow
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int threads = 128;

__device__ unsigned smem(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void init(uint64_t* bar, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem(bar)), "r"(count) : "memory");
}

__device__ void fence_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
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

__device__ int read_peer(const int* p, unsigned rank) {
    int value;
    asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(value) : "r"(peer(p, rank)) : "memory");
    return value;
}

__device__ void arrive_peer(uint64_t* bar, unsigned rank) {
    asm volatile("mbarrier.arrive.release.cta.shared::cluster.b64 _, [%0];" ::"r"(peer(bar, rank)) : "memory");
}
__device__ void wait(uint64_t* bar, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(smem(bar)), "r"(parity)
                     : "memory");
}

// The leader adds its peer's half of the tile to its own.
__global__ void __cluster_dims__(2) join(const int* in, int* out) {
    __shared__ int half[threads];
    __shared__ uint64_t peer_done;
    if (threadIdx.x == 0) {
        init(&peer_done, threads);
        fence_init();
    }
    cluster_sync();
    half[threadIdx.x] = 2 * in[blockIdx.x * threads + threadIdx.x]; // <-- cause
    if (rank() == 1) {
        arrive_peer(&peer_done, 0); // <-- cause
    } else {
        wait(&peer_done, 0);
        out[threadIdx.x] = half[threadIdx.x] + read_peer(&half[threads - 1 - threadIdx.x], 1); // <-- cause
    }
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
    const std::vector<int> in = numbers(2 * threads);
    int* out = to_device(std::vector<int>(threads));
    join<<<2, threads>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, threads);
    int wrong = 0;
    for (int i = 0; i < threads; ++i)
        wrong += result[i] != 2 * in[i] + 2 * in[2 * threads - 1 - i];
    return verdict(wrong);
}
