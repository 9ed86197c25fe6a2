// The kernel reads its neighbour's shared memory, but is launched without clusters.
// says: the block of rank 1 in the cluster, but the kernel was launched without clusters
#include <cooperative_groups.h>

__device__ int out[2];

__global__ void neighbours() {
    namespace cg = cooperative_groups;
    __shared__ int mine;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        mine = blockIdx.x;
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = *cluster.map_shared_rank(&mine, 1 - blockIdx.x % 2); // error: out-of-bounds
    cluster.sync();
}

int main() {
    neighbours<<<2, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== wrong/mapa_beyond_the_cluster
Ranks begin with 0, so a cluster of two blocks has no rank 2.
says: the block of rank 2 in the cluster, but a cluster of this launch has 2 blocks, with ranks 0 to 1

-__global__ void neighbours() {
+__global__ void __cluster_dims__(2, 1, 1) neighbours() {

-        out[blockIdx.x] = *cluster.map_shared_rank(&mine, 1 - blockIdx.x % 2);
+        out[blockIdx.x] = *cluster.map_shared_rank(&mine, 2 - blockIdx.x % 2); // error: out-of-bounds

== clean/mapa_with_clusters
Clusters of two blocks.

-__global__ void neighbours() {
+__global__ void __cluster_dims__(2, 1, 1) neighbours() {
*/
