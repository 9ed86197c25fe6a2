// One thread looks at a counter with an ordinary load and then counts, too. Its own atomic operation comes after its
// load, but nothing orders the load before what other threads do: an atomic operation, or another strong write.
#include <cooperative_groups.h>
__device__ int in_grid, state, out[3];

__global__ void in_block() {
    __shared__ int counter;
    if (threadIdx.x == 0)
        counter = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&counter, 1 + counter); // other 1
    if (threadIdx.x == 1)
        atomicAdd(&counter, 1); // error 1: write-after-read-race
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = counter;
}

__global__ void __cluster_dims__(2) in_cluster() {
    __shared__ int counter;
    auto cluster = cooperative_groups::this_cluster();
    if (cluster.block_rank() == 1 && threadIdx.x == 0)
        counter = 0;
    cluster.sync();
    if (cluster.block_rank() == 1 && threadIdx.x == 0)
        atomicAdd(&counter, 1 + counter); // other 2
    cluster.barrier_arrive();
    if (cluster.block_rank() == 0)
        atomicAdd(cluster.map_shared_rank(&counter, 1), 1); // error 2: write-after-read-race
    cluster.barrier_wait();
    cluster.sync();
    if (cluster.block_rank() == 1 && threadIdx.x == 0)
        out[1] = counter;
}

__global__ void in_launch() {
    if (blockIdx.x == 0)
        atomicAdd(&in_grid, 1 + in_grid); // other 3
    else
        atomicAdd(&in_grid, 1); // error 3: write-after-read-race
}

// The atomic operation is another thread's, and a barrier orders the load before it, but not before other blocks.
__global__ void behind_a_barrier() {
    if (blockIdx.x == 0) {
        if (state == 1) // other 4
            out[2] = threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 1)
            atomicExch(&state, 1);
    } else {
        *static_cast<volatile int*>(&state) = 2; // error 4: write-after-read-race
    }
}

int main() {
    in_block<<<1, 32>>>();
    in_cluster<<<2, 32>>>();
    in_launch<<<2, 1>>>();
    behind_a_barrier<<<2, 32>>>();
    return cudaDeviceSynchronize();
}
