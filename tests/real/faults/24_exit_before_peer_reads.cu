// source: facebookexperimental/triton#1105, a block of a cluster leaves while its peer still accesses its shared
//     memory
// cause: A block may have ended when its peer reads its shared memory: no cluster barrier comes after the last remote
//     read.
// rule: exit-before-peer-access
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int threads = 128;

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

__device__ int read_peer(const int* p, unsigned rank) {
    int value;
    asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(value) : "r"(peer(p, rank)) : "memory");
    return value;
}

// The two blocks of a cluster exchange their tiles through distributed shared memory.
__global__ void __cluster_dims__(2) swap(const int* in, int* out) {
    __shared__ int tile[threads];
    tile[threadIdx.x] = in[blockIdx.x * threads + threadIdx.x];
    cluster_sync();
    out[blockIdx.x * threads + threadIdx.x] = read_peer(&tile[threadIdx.x], rank() ^ 1); // <-- cause
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
    const std::vector<int> in = numbers(4 * threads);
    int* out = to_device(std::vector<int>(in.size()));
    swap<<<4, threads>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, 4 * threads);
    int wrong = 0;
    for (int i = 0; i < 4 * threads; ++i)
        wrong += result[i] != in[i ^ threads];
    return verdict(wrong);
}
