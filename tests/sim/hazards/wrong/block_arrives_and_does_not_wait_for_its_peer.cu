// Each block arrives at the cluster barrier and leaves: its peer may not have read yet.
#include <cooperative_groups.h>
__device__ int out[64];

__global__ void __cluster_dims__(2) swap() {
    __shared__ int tile[32];
    auto cluster = cooperative_groups::this_cluster();
    tile[threadIdx.x] = threadIdx.x;
    cluster.sync();
    out[blockIdx.x * 32 + threadIdx.x] = *cluster.map_shared_rank(&tile[threadIdx.x], cluster.block_rank() ^ 1);
    // error: exit-before-peer-access
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

int main() {
    swap<<<2, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/relaxed_cluster_barrier_at_the_end
A relaxed arrival publishes nothing, but what has been read has been read: the peer may leave.

-    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
+    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
+    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
*/
