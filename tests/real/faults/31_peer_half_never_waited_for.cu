// source: cutlass#3643, the leader uses the peer's operand half although only the peer's own barrier tracks its
//     arrival
// cause: The leader reads the peer's half after waiting for its own load only; the load of the peer's half is tracked
//     by the peer's barrier, which nobody waits for.
// rule: missing-wait|read-before-completion
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int half = 128;

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

// Each block loads its half of the operand; the leader uses both.
__global__ void __cluster_dims__(2) two_halves(const int* in, int* out) {
    __shared__ alignas(128) int operand[half];
    __shared__ uint64_t full, peer_full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&peer_full, 1);
        fence_init();
    }
    cluster_sync();
    if (threadIdx.x == 0) {
        arrive_expect(&full, sizeof operand);
        load(operand, in + rank() * half, sizeof operand, &full);
    }
    if (rank() == 0) {
        wait(&full, 0);
        out[threadIdx.x] = operand[threadIdx.x] + 3 * read_peer(&operand[half - 1 - threadIdx.x], 1); // <-- cause
    }
    __syncwarp();
    cluster_sync();
    wait(&full, 0);
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
    const std::vector<int> in = numbers(2 * half);
    int* out = to_device(std::vector<int>(half));
    two_halves<<<2, half>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, half);
    int wrong = 0;
    for (int i = 0; i < half; ++i)
        wrong += result[i] != in[i] + 3 * in[2 * half - 1 - i];
    return verdict(wrong);
}
