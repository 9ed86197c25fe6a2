// One block signals both blocks of its cluster, and waits only for its own consumer.
#include <cooperative_groups.h>

__device__ int out[128];

__device__ unsigned address(const void* shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }
__device__ void arrive(unsigned long long* barrier, unsigned rank) {
    asm volatile("{.reg .b32 r;\nmapa.shared::cluster.u32 r, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r];}" ::"r"(address(barrier)), "r"(rank) : "memory");
}
__device__ void wait(unsigned long long* barrier, int parity) {
    asm volatile("{.reg .pred p;\nagain: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n@!p bra again;}"
                 ::"r"(address(barrier)), "r"(parity) : "memory");
}

__global__ void __cluster_dims__(2) both(int laps) {
    __shared__ unsigned long long full, empty;
    constexpr unsigned releases = 1;
    auto cluster = cooperative_groups::this_cluster();
    const unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&full)) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(&empty)), "r"(releases) : "memory");
    }
    cluster.sync();
    for (int lap = 0; lap < laps; ++lap) {
        if (threadIdx.x == 0 && rank == 0) {
            wait(&empty, lap % 2 == 0);
            arrive(&full, 0);
            arrive(&full, 1); // other
        }
        if (threadIdx.x == 32) {
            wait(&full, lap % 2); // error: stale-phase-wait
            if (rank < releases)
                arrive(&empty, 0);
        }
    }
    cluster.sync();
    out[blockIdx.x * 64 + threadIdx.x] = laps;
}

int main() {
    both<<<2, 64>>>(4);
    return cudaDeviceSynchronize();
}

/*
== clean/order_peer_is_waited_for
It waits for both consumers.
orders: every

-    constexpr unsigned releases = 1;
+    constexpr unsigned releases = 2;
*/
