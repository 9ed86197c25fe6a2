// source: flashinfer#2550, a kernel that arrives on the barrier of cluster rank 0 must not run in clusters of more
//     than one block
// cause: Both blocks arrive on the barrier of block 0, so the phase that block 1 waits for never completes.
// rule: deadlock|early-phase
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int threads = 64;

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

__global__ void __cluster_dims__(2) reverse(const int* in, int* out) {
    __shared__ int tile[threads];
    __shared__ uint64_t ready;
    if (threadIdx.x == 0) {
        init(&ready, threads);
        fence_init();
    }
    cluster_sync();
    tile[threadIdx.x] = in[blockIdx.x * threads + threadIdx.x];
    arrive_peer(&ready, 0);  // <-- cause
    wait_cluster(&ready, 0); // <-- cause
    out[blockIdx.x * threads + threadIdx.x] = tile[threads - 1 - threadIdx.x];
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
    int* out = to_device(std::vector<int>(in.size()));
    reverse<<<2, threads>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, 2 * threads);
    int wrong = 0;
    for (int i = 0; i < 2 * threads; ++i)
        wrong += result[i] != in[i / threads * threads + threads - 1 - i % threads];
    return verdict(wrong);
}
