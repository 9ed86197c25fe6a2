// The mask of the multicast copy names two blocks, but the kernel is launched without clusters.
// says: bit 1 of the multicast mask stands for the block of rank 1 in the cluster, but the kernel was launched
#include <cuda/ptx>

__device__ alignas(16) int in[32];
__device__ int out[2][32];

__global__ void share() {
    namespace ptx = cuda::ptx;
    __shared__ alignas(16) int tile[32];
    __shared__ uint64_t full;
    const bool first = blockIdx.x == 0;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        if (first)
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, 128, &full, 3); // error: out-of-bounds
    }
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
    }
    out[blockIdx.x][threadIdx.x] = tile[threadIdx.x];
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}

int main() {
    share<<<2, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/multicast_with_clusters
Clusters of two blocks.

-__global__ void share() {
+__global__ void __cluster_dims__(2, 1, 1) share() {
*/
