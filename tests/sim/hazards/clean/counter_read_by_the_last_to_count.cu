// A thread counts and then reads the counter, or sets it back, with ordinary accesses. A barrier, the end of a launch or
// a chain of releases and acquires orders the others' atomic operations before that. Or the thread is the one that finds
// the last value: then theirs came before its own one, as in CUDA's own threadFenceReduction sample.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
__device__ int in_grid, released, out[8];
__device__ unsigned arrived;

__global__ void in_warp() {
    __shared__ int counter;
    for (int round = 0; round < 2; ++round) {
        if (threadIdx.x == 0)
            counter = 0;
        __syncwarp();
        atomicAdd(&counter, 1);
        __syncwarp();
        if (threadIdx.x == 31)
            out[0] = counter;
        __syncwarp();
    }
}

__global__ void in_block() {
    __shared__ int counter;
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        counter = 0;
    }
    __syncthreads();
    atomicAdd(&counter, 1);
    __syncthreads();
    if (threadIdx.x == 63)
        counter += 1;
    barrier.arrive_and_wait();
    atomicAdd(&counter, 1);
    barrier.arrive_and_wait();
    if (threadIdx.x == 63)
        counter = 0;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    atomicAdd(&counter, 1);
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[1 + threadIdx.x / 63] = counter;
}

__global__ void __cluster_dims__(2) in_cluster() {
    __shared__ int counter;
    auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0)
        counter = 0;
    cluster.sync();
    atomicAdd(cluster.map_shared_rank(&counter, 1), 1);
    cluster.sync();
    if (cluster.block_rank() == 1 && threadIdx.x == 31)
        out[3] = counter;
}

__global__ void first() {
    atomicAdd(&in_grid, 1);
}
__global__ void then() {
    atomicAdd(&in_grid, in_grid);
}

// The last block sets the counters back: the one that releases and acquires, and the one of the sample.
__global__ void last_block() {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        cuda::atomic_ref<int, cuda::thread_scope_device> count(released);
        if (count.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1) {
            out[4] = released;
            released = 0;
        }
        __threadfence();
        last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
        if (last) {
            out[5] = arrived;
            arrived = 0;
        }
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 33)
        arrived = 0;
}

// The old value is not used: the last block waits for the others.
__global__ void everybody_releases() {
    cuda::atomic_ref<int, cuda::thread_scope_device> count(released);
    count.fetch_add(1, cuda::memory_order_acq_rel);
    if (blockIdx.x == 3 && threadIdx.x == 0) {
        while (count.load(cuda::memory_order_acquire) != 4 * 32)
            ;
        out[6] = released;
        released = 0;
    }
}

int main() {
    in_warp<<<1, 32>>>();
    in_block<<<1, 64>>>();
    in_cluster<<<2, 32>>>();
    first<<<4, 64>>>();
    then<<<1, 1>>>();
    last_block<<<8, 64>>>();
    everybody_releases<<<4, 32>>>();
    return cudaDeviceSynchronize();
}
