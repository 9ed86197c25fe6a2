// why: st.async writes both ways; each block waits for the bytes that it receives, and no block leaves before its
//     peer has received
#include <cstdint>
#include <cstdio>
#include <cuda/ptx>
#include <vector>

namespace ptx = cuda::ptx;

constexpr int threads = 64;

__device__ unsigned smem(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ unsigned rank() {
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}

__device__ void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__global__ void __cluster_dims__(2) swap(const int* in, int* out) {
    __shared__ alignas(16) int received[threads];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof received);
    }
    cluster_sync();
    unsigned target, target_bar;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(target) : "r"(smem(&received[threadIdx.x])), "r"(rank() ^ 1));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(target_bar) : "r"(smem(&bar)), "r"(rank() ^ 1));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0], %1, [%2];" ::"r"(target),
                 "r"(in[blockIdx.x * threads + threadIdx.x]), "r"(target_bar)
                 : "memory");
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
    }
    out[blockIdx.x * threads + threadIdx.x] = received[threadIdx.x];
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
    swap<<<2, threads>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, 2 * threads);
    int wrong = 0;
    for (int i = 0; i < 2 * threads; ++i)
        wrong += result[i] != in[i ^ threads];
    return verdict(wrong);
}
