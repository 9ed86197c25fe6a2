// A thread looks at a counter and then counts, too. Its load is a relaxed one; or a barrier, the end of a launch, or a
// release and an acquire order its ordinary load before the other threads' atomic operations.
#include <cooperative_groups.h>
#include <cuda/atomic>
__device__ int in_grid, turn, out[3];

__device__ int relaxed(int& of) {
    return cuda::atomic_ref<int, cuda::thread_scope_device>(of).load(cuda::memory_order_relaxed);
}

__global__ void in_block() {
    __shared__ int counter;
    for (int round = 0; round < 2; ++round) {
        if (threadIdx.x == 0)
            counter = 0;
        __syncthreads();
        if (threadIdx.x == 0)
            atomicAdd(&counter, 1 + counter);
        __syncthreads();
        atomicAdd(&counter, 1 + relaxed(counter));
        __syncthreads();
        if (threadIdx.x == 0)
            out[0] = counter;
    }
}

__global__ void __cluster_dims__(2) in_cluster() {
    __shared__ int counter;
    auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) {
        counter = 0;
        atomicAdd(&counter, 1 + counter);
    }
    cluster.sync();
    atomicAdd(cluster.map_shared_rank(&counter, 1), 1);
    cluster.sync();
    if (cluster.block_rank() == 1 && threadIdx.x == 0)
        out[1] = counter;
}

__global__ void first() {
    atomicAdd(&in_grid, 1 + in_grid);
}
__global__ void then() {
    atomicAdd(&in_grid, 1 + relaxed(in_grid));
}

// Each block waits until it is its turn, by relaxed loads; the exchange that passes the turn on acquires and releases.
__global__ void by_turns() {
    cuda::atomic_ref<int, cuda::thread_scope_device> whose(turn);
    while (whose.load(cuda::memory_order_relaxed) != int(blockIdx.x))
        ;
    whose.fetch_add(0, cuda::memory_order_acq_rel);
    out[2] += turn;
    whose.fetch_add(1, cuda::memory_order_acq_rel);
}

int main() {
    in_block<<<1, 64>>>();
    in_cluster<<<2, 32>>>();
    first<<<1, 1>>>();
    then<<<2, 32>>>();
    by_turns<<<4, 1>>>();
    return cudaDeviceSynchronize();
}
