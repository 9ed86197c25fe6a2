// source: DeepGEMM#429, a cluster whose two blocks belong to groups of different length deadlocks on its barriers
// cause: The two blocks of a cluster run loops of different lengths, so the longer one waits for a half tile that its
//     peer never multicasts.
// rule: deadlock
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int half = 128, groups = 2, tiles_per_group = 3, longest = 3;
constexpr int padded = tiles_per_group; // <-- cause

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

__device__ unsigned rank() {
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}

__device__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ void load_multicast(void* to, const void* from, unsigned bytes, uint64_t* bar, uint16_t mask) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1], %2, [%3], %4;" ::"r"(smem(to)),
                 "l"(from), "r"(bytes), "r"(smem(bar)), "h"(mask)
                 : "memory");
}

// Block t of a group adds up the tiles of its group; the blocks of a pair load half of each tile for both.
__global__ void __cluster_dims__(2) grouped_sum(const int* in, const int* lengths, int* out) {
    __shared__ alignas(128) int tile[longest][2][half];
    __shared__ uint64_t full[longest];
    const int group = blockIdx.x / padded, member = blockIdx.x % padded;
    if (threadIdx.x == 0) {
        for (auto& bar : full)
            init(&bar, 1);
        fence_init();
    }
    cluster_sync();
    int sum[2] = {};
    for (int k = 0; k < lengths[group]; ++k) {
        if (threadIdx.x == 0) {
            arrive_expect(&full[k], sizeof tile[0]);
            load_multicast(tile[k][rank()], in + ((group * longest + k) * 2 + rank()) * half, sizeof tile[0][0],
                           &full[k], 3);
        }
        wait(&full[k], 0); // <-- cause
        for (int h = 0; h < 2; ++h)
            sum[h] += tile[k][h][threadIdx.x];
    }
    if (member < tiles_per_group)
        for (int h = 0; h < 2; ++h)
            out[((group * tiles_per_group + member) * 2 + h) * half + threadIdx.x] = sum[h] + member;
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
    const std::vector<int> in = numbers(groups * longest * 2 * half), lengths{2, 3};
    const int size = groups * tiles_per_group * 2 * half;
    int* out = to_device(std::vector<int>(size));
    grouped_sum<<<groups * padded, half>>>(to_device(in), to_device(lengths), out);
    const std::vector<int> result = to_host(out, size);
    int wrong = 0;
    for (int i = 0; i < size; ++i) {
        const int tile = i / (2 * half), group = tile / tiles_per_group;
        int sum = tile % tiles_per_group;
        for (int k = 0; k < lengths[group]; ++k)
            sum += in[(group * longest + k) * 2 * half + i % (2 * half)];
        wrong += result[i] != sum;
    }
    return verdict(wrong);
}
