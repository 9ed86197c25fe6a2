// All threads wait at the second barrier of the cluster, but the first warp has not arrived. Its neighbour,
// clean/relaxed_cluster_barrier_at_the_end.cu, arrives with all threads.
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ int out[128];

__global__ void __cluster_dims__(2) swap() {
    __shared__ int tile[64];
    auto cluster = cooperative_groups::this_cluster();
    tile[threadIdx.x] = blockIdx.x * 64 + threadIdx.x;
    cluster.sync();
    out[blockIdx.x * 64 + threadIdx.x] = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1)[threadIdx.x];
    if (threadIdx.x >= 32)
        ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait(); // error: deadlock
}

int main() {
    swap<<<2, 64>>>();
    return cudaDeviceSynchronize();
}
