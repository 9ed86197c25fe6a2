// The first block only arrives at the cluster barrier and exits. Its peer may arrive on its mbarrier later.
#include <cooperative_groups.h>

__device__ int out[64];

__device__ unsigned address(const void* shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }

__global__ void __cluster_dims__(2) leaves() {
    __shared__ unsigned long long empty;
    auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(address(&empty)) : "memory");
    cluster.sync();
    if (cluster.block_rank() == 1)
        asm volatile("{.reg .b32 r;\nmapa.shared::cluster.u32 r, %0, 0;\n"
                     "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r];}"
                     ::"r"(address(&empty)) : "memory"); // error: exit-before-peer-access
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    out[blockIdx.x * 32 + threadIdx.x] = 1;
    if (cluster.block_rank() == 1)
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

int main() {
    leaves<<<2, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/block_waits_for_its_peer_s_arrival
Both blocks wait.
orders: every

-    if (cluster.block_rank() == 1)
-        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
+    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
*/
