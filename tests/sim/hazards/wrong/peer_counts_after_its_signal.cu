// Block 0 waits for its peer's signal, but the peer updates the counter of block 0 after it has signalled.
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ int out;

__global__ void __cluster_dims__(2) count() {
    __shared__ uint64_t done;
    __shared__ int counter;
    auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&done, 32);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        counter = 0;
    }
    cluster.sync();
    if (cluster.block_rank() == 1) {
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                             cluster.map_shared_rank(&done, 0));
        atomicAdd(cluster.map_shared_rank(&counter, 0), 1); // error: exit-before-peer-access
    } else {
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &done, 0)) {
        }
        if (threadIdx.x == 0)
            out = atomicAdd(&counter, 0);
    }
}

int main() {
    count<<<2, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/peer_counts_before_its_signal
The peer signals when it has updated the counter of block 0, and block 0 waits for that before it ends.

     if (cluster.block_rank() == 1) {
+        atomicAdd(cluster.map_shared_rank(&counter, 0), 1);

-        atomicAdd(cluster.map_shared_rank(&counter, 0), 1);
*/
