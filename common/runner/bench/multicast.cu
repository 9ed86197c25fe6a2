// When does multicast pay? Every block streams a whole table through a ring in shared memory, by unicast copies or by
// multicast ones that a cluster shares. The clusters begin at the same place of the table ("in step") or at different
// ones ("apart"). `./lab run common/runner/bench/multicast.cu` prints the times; with `-- --quick`, of a small table.
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <cuda/ptx>
#include <vector>

namespace ptx = cuda::ptx;
namespace cg = cooperative_groups;

constexpr int STAGES = 6, CHUNK = 16384;                     // bytes of a stage
constexpr int CONSUMERS = 4, THREADS = 32 * (1 + CONSUMERS); // warps that read; warp 0 loads

struct Shared {
    alignas(128) uint4 ring[STAGES][CHUNK / sizeof(uint4)];
    uint64_t full[STAGES], empty[STAGES];
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Arrives at the same barrier of another block. The default semantics, release at CTA scope, are enough: what the ring
// hands back is the right to overwrite, and the loads of this warp have returned.
__device__ void arrive_at(uint64_t* barrier, int rank) {
    asm volatile(
        "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(unsigned(__cvta_generic_to_shared(barrier))),
        "r"(rank)
        : "memory");
}

// Loads one stage: all of it, or, with multicast, this block's part of it into all blocks of the cluster.
template <int CLUSTER, bool MULTICAST>
__device__ void load(Shared& s, int stage, const char* chunk, int rank) {
    constexpr int PART = CHUNK / CLUSTER;
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[stage], CHUNK);
    char* to = reinterpret_cast<char*>(s.ring[stage]);
    if constexpr (MULTICAST)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to + rank * PART, chunk + rank * PART, PART,
                           &s.full[stage], uint16_t((1 << CLUSTER) - 1));
    else
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, chunk, CHUNK, &s.full[stage]);
}

template <int CLUSTER, bool MULTICAST>
__global__ void __launch_bounds__(THREADS) stream(const char* table, int chunks, bool apart, unsigned* sums) {
    extern __shared__ __align__(128) char memory[];
    Shared& s = *reinterpret_cast<Shared*>(memory);
    const auto cluster = cg::this_cluster();
    const int rank = cluster.block_rank(), warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; ++i) {
            ptx::mbarrier_init(&s.full[i], 1);
            ptx::mbarrier_init(&s.empty[i], MULTICAST ? CONSUMERS * CLUSTER : CONSUMERS);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cluster.sync();
    const int first = apart ? blockIdx.x / CLUSTER * 37 % chunks : 0;
    unsigned sum = 0;
    for (int k = 0; k < chunks; ++k) {
        const int stage = k % STAGES, lap = k / STAGES;
        if (warp == 0) {
            if (lane == 0) {
                wait(&s.empty[stage], (lap + 1) % 2);
                load<CLUSTER, MULTICAST>(s, stage, table + size_t((first + k) % chunks) * CHUNK, rank);
            }
        } else {
            wait(&s.full[stage], lap % 2);
            for (int i = threadIdx.x - 32; i < CHUNK / int(sizeof(uint4)); i += 32 * CONSUMERS) {
                const uint4 value = s.ring[stage][i];
                sum += value.x ^ value.y ^ value.z ^ value.w;
            }
            ptx::fence_proxy_async(ptx::space_shared); // copies will overwrite what was read here
            __syncwarp();
            if (lane < (MULTICAST ? CLUSTER : 1))
                arrive_at(&s.empty[stage], MULTICAST ? lane : rank);
        }
    }
    if (warp > 0)
        sums[blockIdx.x * 32 * CONSUMERS + threadIdx.x - 32] = sum;
    cluster.sync(); // nobody exits while another block may still copy to it or arrive at it
}

__global__ void fill(unsigned* words, size_t count) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
        words[i] = unsigned(i) * 2654435761u;
}

struct Table {
    char* bytes;
    int chunks, times;
};

template <int CLUSTER, bool MULTICAST>
void measure(const Table& table, bool apart, unsigned* sums) {
    auto* kernel = stream<CLUSTER, MULTICAST>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
    cudaLaunchAttribute shape{};
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim = {CLUSTER, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = CLUSTER;
    config.blockDim = THREADS;
    config.dynamicSmemBytes = sizeof(Shared);
    config.attrs = &shape;
    config.numAttrs = 1;
    int clusters = 0;
    cudaOccupancyMaxActiveClusters(&clusters, kernel, &config);
    config.gridDim = clusters * CLUSTER;
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    std::vector<float> times;
    for (int i = 0; i < table.times + 2; ++i) {
        cudaEventRecord(begin);
        cudaLaunchKernelEx(&config, kernel, static_cast<const char*>(table.bytes), table.chunks, apart, sums);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float time = 0;
        cudaEventElapsedTime(&time, begin, end);
        if (i >= 2)
            times.push_back(time);
    }
    std::sort(times.begin(), times.end());
    const float median = times[times.size() / 2];
    const double bytes = double(table.chunks) * CHUNK;
    if (const cudaError_t error = cudaGetLastError()) {
        std::printf("%s\n", cudaGetErrorString(error));
        std::exit(1);
    }
    std::printf("%4.0f MiB  %-7s  clusters of %d  %-9s  %4d blocks  %7.3f ms  %6.2f TB/s into shared memory\n",
                bytes / (1 << 20), apart ? "apart" : "in step", CLUSTER, MULTICAST ? "multicast" : "unicast",
                clusters * CLUSTER, median, median > 0 ? bytes * clusters * CLUSTER / median / 1e9 : 0);
}

int main(int count, char** words) {
    const bool quick = count > 1 && std::strcmp(words[1], "--quick") == 0;
    const std::vector<int> sizes = quick ? std::vector{16} : std::vector{16 << 6, 128 << 6}; // in chunks
    char* bytes = nullptr;
    unsigned* sums = nullptr;
    const size_t most = size_t(sizes.back()) * CHUNK;
    if (cudaMalloc(&bytes, most) != cudaSuccess || cudaMalloc(&sums, 1 << 20) != cudaSuccess) {
        std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    fill<<<quick ? 1 : 1024, 256>>>(reinterpret_cast<unsigned*>(bytes), most / sizeof(unsigned));
    for (const bool apart : {false, true})
        for (const int chunks : sizes) {
            const Table table{bytes, chunks, quick ? 1 : 21};
            measure<1, false>(table, apart, sums);
            measure<2, true>(table, apart, sums);
            measure<4, true>(table, apart, sums);
        }
}
