// __syncthreads() orders the threads of one block, and the bytes are another block's.
#include <cooperative_groups.h>
__device__ int out[64];

__global__ void __cluster_dims__(2) swap() {
    __shared__ int tile[32];
    auto cluster = cooperative_groups::this_cluster();
    tile[threadIdx.x] = threadIdx.x; // other
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = *cluster.map_shared_rank(&tile[31 - threadIdx.x], cluster.block_rank() ^ 1);
    // error: read-after-write-race
    cluster.sync();
}

int main() {
    swap<<<2, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/peer_read_after_the_cluster_barrier
A block reads its peer's shared memory after a barrier of the cluster.

-    __syncthreads();
+    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
+    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
*/
