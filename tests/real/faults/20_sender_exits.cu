// source: jax#30159, the kernel of a remote-copy test ends without having observed that its copy is complete
// cause: The sending block ends while the copy from its shared memory to the peer's is still under way.
// rule: exit-before-completion
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

__device__ void send(unsigned to, const void* from, unsigned bytes, unsigned bar) {
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
        "r"(smem(from)), "r"(bytes), "r"(bar)
        : "memory");
}

// Block 0 of a pair prepares a tile and sends it to block 1, which writes it.
__global__ void __cluster_dims__(2) exchange(const int* in, int* out) {
    __shared__ alignas(128) int tile_out[tile], tile_in[tile];
    __shared__ uint64_t received;
    if (threadIdx.x == 0) {
        init(&received, 1);
        fence_init();
        arrive_expect(&received, sizeof tile_in);
    }
    tile_out[threadIdx.x] = 5 * in[threadIdx.x];
    fence_async();
    cluster_sync();
    if (rank() == 0) {
        if (threadIdx.x == 0)
            send(peer(tile_in, 1), tile_out, sizeof tile_out, peer(&received, 1)); // <-- cause
    } else {
        wait(&received, 0);
        out[threadIdx.x] = tile_in[tile - 1 - threadIdx.x];
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
    const std::vector<int> in = numbers(tile);
    int* out = to_device(std::vector<int>(tile));
    exchange<<<2, tile>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, tile);
    int wrong = 0;
    for (int i = 0; i < tile; ++i)
        wrong += result[i] != 5 * in[tile - 1 - i];
    return verdict(wrong);
}
