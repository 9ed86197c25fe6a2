// source: facebookexperimental/triton#2292, a remote store before its target block has started and initialised its
//     memory
// cause: A block stores into its peer's shared memory before anything says that the peer has initialised that memory.
// rule: write-after-write-race
#include <cstdint>
#include <cstdio>
#include <vector>

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

__device__ unsigned peer(const void* p, unsigned rank) {
    unsigned address;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(smem(p)), "r"(rank));
    return address;
}

__global__ void __cluster_dims__(2) hand_over(const int* in, int* out) {
    __shared__ int received[threads];
    received[threadIdx.x] = -1; // <-- cause
    const int value = in[blockIdx.x * threads + threadIdx.x];
    asm volatile("st.shared::cluster.s32 [%0], %1;" ::"r"(peer(&received[threadIdx.x], rank() ^ 1)),
                 "r"(value) // <-- cause
                 : "memory");
    cluster_sync();
    out[blockIdx.x * threads + threadIdx.x] = received[threadIdx.x];
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
    hand_over<<<2, threads>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, 2 * threads);
    int wrong = 0;
    for (int i = 0; i < 2 * threads; ++i)
        wrong += result[i] != in[i ^ threads];
    return verdict(wrong);
}
