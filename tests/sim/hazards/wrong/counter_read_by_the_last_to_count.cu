// expect: read-after-write-race
// A thread counts and then reads the counter with an ordinary load. Nothing orders the other threads' atomic operations
// before that, even if its own one happened to be the last.
__device__ int in_grid, out[3], of_thread[64];

__global__ void in_warp() {
    __shared__ int counter;
    if (threadIdx.x == 0)
        counter = 0;
    __syncwarp();
    atomicAdd(&counter, 1);
    if (threadIdx.x == 31)
        out[0] = counter;
}

__global__ void in_launch() {
    atomicAdd(&in_grid, 1);
    if (threadIdx.x == 31 && blockIdx.x == 3)
        out[1] = in_grid;
}

// The barrier orders the atomic operations of its own block only.
__global__ void behind_a_barrier() {
    atomicAdd(&in_grid, 1);
    __syncthreads();
    if (blockIdx.x == 3)
        of_thread[threadIdx.x] = in_grid;
}

__global__ void by_one_thread_of_each_block() {
    if (threadIdx.x == 0)
        atomicAdd(&in_grid, 1);
    __syncwarp();
    if (threadIdx.x == 1 && blockIdx.x == 3)
        out[2] = in_grid;
}

int main() {
    in_warp<<<1, 32>>>();
    in_launch<<<4, 32>>>();
    behind_a_barrier<<<4, 64>>>();
    by_one_thread_of_each_block<<<4, 32>>>();
    return cudaDeviceSynchronize();
}
