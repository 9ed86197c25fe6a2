// expect: refill-while-read
// Both blocks load for both, but only rank 0 hears from the warps of both.
#include <cooperative_groups.h>
#include <cstdint>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int CLUSTER = 2;
constexpr int WIDE = 64, SLICE = WIDE / CLUSTER; // values of a stage; of the common ones that each block loads
constexpr int STAGES = 3;
constexpr int WARPS = WIDE / 32, THREADS = WIDE + 32; // that consume; and a warp that loads

struct Shared {
    alignas(128) unsigned own[STAGES][WIDE], common[STAGES][WIDE];
    uint64_t full[STAGES], empty[STAGES];
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, parity))
        ;
}

// Loads `count` values into every block whose rank is set in `ranks`, to the same address and with the same barrier.
__device__ void multicast(void* to, const unsigned* from, int count, uint64_t* barrier, uint16_t ranks) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1], %2, [%3], %4;" ::"r"(unsigned(__cvta_generic_to_shared(to))),
                 "l"(from), "r"(4 * count), "r"(unsigned(__cvta_generic_to_shared(barrier))), "h"(ranks)
                 : "memory");
}

// Arrives on the barrier at the same address in the block with this rank. The threads have read the stage with ordinary
// loads, so the arrival has the scope of the cluster.
__device__ void arrive(uint64_t* barrier, int rank) {
    uint64_t* const there = cooperative_groups::this_cluster().map_shared_rank(barrier, rank);
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, there);
}

__device__ void produce(Shared& s, const unsigned* in, const unsigned* weights, int rank, int steps) {
    for (int step = 0; step < steps; ++step) {
        const int stage = step % STAGES;
        wait(&s.empty[stage], (step / STAGES + 1) % 2);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[stage],
                                       sizeof s.own[stage] + sizeof s.common[stage]);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s.own[stage], in + step * WIDE, sizeof s.own[stage],
                           &s.full[stage]);
        multicast(s.common[stage] + rank * SLICE, weights + step * WIDE + rank * SLICE, SLICE, &s.full[stage], 0b11);
    }
}

__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS)
    weigh(const unsigned* in, const unsigned* weights, unsigned* out, int steps) {
    __shared__ Shared s;
    const int rank = cooperative_groups::this_cluster().block_rank();
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; ++i) {
            ptx::mbarrier_init(&s.full[i], 1);
            ptx::mbarrier_init(&s.empty[i], rank == 0 ? CLUSTER * WARPS : WARPS);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cooperative_groups::this_cluster().sync();

    unsigned sum = 0;
    if (threadIdx.x == WIDE)
        produce(s, in + size_t(blockIdx.x) * steps * WIDE, weights, rank, steps);
    if (threadIdx.x < WIDE)
        for (int step = 0; step < steps; ++step) {
            const int stage = step % STAGES;
            wait(&s.full[stage], step / STAGES % 2);
            sum += s.own[stage][threadIdx.x] * s.common[stage][threadIdx.x];
            ptx::fence_proxy_async(ptx::space_shared);
            __syncwarp();
            if (lane == 0 || (lane == 1 && rank == 1))
                arrive(&s.empty[stage], lane == 0 ? rank : 0);
        }
    if (threadIdx.x < WIDE)
        out[blockIdx.x * WIDE + threadIdx.x] = sum;
    cooperative_groups::this_cluster().sync();
}

int main() {
    constexpr int blocks = 2, steps = 7;
    unsigned *in, *weights, *out;
    cudaMalloc(&in, blocks * steps * WIDE * sizeof(unsigned));
    cudaMalloc(&weights, steps * WIDE * sizeof(unsigned));
    cudaMalloc(&out, blocks * WIDE * sizeof(unsigned));
    cudaMemset(in, 1, blocks * steps * WIDE * sizeof(unsigned));
    cudaMemset(weights, 1, steps * WIDE * sizeof(unsigned));
    weigh<<<blocks, THREADS>>>(in, weights, out, steps);
    return cudaDeviceSynchronize();
}

/*
== clean/multicast_ring
A ring whose stages two blocks of a cluster fill for each other. A stage is released in both blocks, and no block exits
before the other one has made its last arrival.

-            ptx::mbarrier_init(&s.empty[i], rank == 0 ? CLUSTER * WARPS : WARPS);
+            ptx::mbarrier_init(&s.empty[i], CLUSTER * WARPS);

-            if (lane == 0 || (lane == 1 && rank == 1))
-                arrive(&s.empty[stage], lane == 0 ? rank : 0);
+            if (lane < CLUSTER)
+                arrive(&s.empty[stage], lane);
*/
