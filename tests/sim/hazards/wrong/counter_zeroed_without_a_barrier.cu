// One thread zeroes a counter and then counts, too. Its own atomic operation comes after its store, but nothing orders
// the store before the other threads' atomic operations.
#include <cooperative_groups.h>
__device__ int in_grid, out[3];

__global__ void in_block() {
    __shared__ int counter;
    if (threadIdx.x == 0)
        counter = 0; // other 1
    atomicAdd(&counter, 1); // error 1: write-after-write-race
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = counter;
}

__global__ void __cluster_dims__(2) in_cluster() {
    __shared__ int counter;
    auto cluster = cooperative_groups::this_cluster();
    cluster.sync(); // both blocks have begun
    if (cluster.block_rank() == 1 && threadIdx.x == 0) {
        counter = 0; // other 2
        atomicAdd(&counter, 1);
    }
    if (cluster.block_rank() == 0)
        atomicAdd(cluster.map_shared_rank(&counter, 1), 1); // error 2: write-after-write-race
    cluster.sync();
    if (cluster.block_rank() == 1 && threadIdx.x == 0)
        out[1] = counter;
}

__global__ void in_launch() {
    if (blockIdx.x == 0 && threadIdx.x == 0)
        in_grid = 0; // other 3
    atomicAdd(&in_grid, 1); // error 3: write-after-write-race
}

int main() {
    in_block<<<1, 64>>>();
    in_cluster<<<2, 32>>>();
    in_launch<<<2, 32>>>();
    return cudaDeviceSynchronize();
}
