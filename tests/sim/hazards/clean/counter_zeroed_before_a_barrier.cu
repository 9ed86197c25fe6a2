// One thread zeroes a counter, and a barrier orders its store before everybody's atomic operations: a barrier of the
// block, of the cluster, or the end of a launch.
#include <cooperative_groups.h>
__device__ int in_grid, out[3];

__global__ void in_block() {
    __shared__ int counter;
    for (int round = 0; round < 2; ++round) {
        if (threadIdx.x == 0)
            counter = 0;
        __syncthreads();
        atomicAdd(&counter, 1);
        __syncthreads();
        if (threadIdx.x == 0)
            out[0] = counter;
    }
}

__global__ void __cluster_dims__(2) in_cluster() {
    __shared__ int counter;
    auto cluster = cooperative_groups::this_cluster();
    if (cluster.thread_rank() == 0) {
        counter = 0;
        atomicAdd(&counter, 1);
    }
    cluster.sync();
    atomicAdd(cluster.map_shared_rank(&counter, 0), 1);
    cluster.sync();
    if (cluster.thread_rank() == 0)
        out[1] = counter;
}

__global__ void zero() {
    in_grid = 0;
    atomicAdd(&in_grid, 1);
}

__global__ void in_launch() {
    atomicAdd(&in_grid, 1);
}

int main() {
    in_block<<<1, 64>>>();
    in_cluster<<<2, 32>>>();
    zero<<<1, 1>>>();
    in_launch<<<2, 32>>>();
    return cudaDeviceSynchronize();
}
