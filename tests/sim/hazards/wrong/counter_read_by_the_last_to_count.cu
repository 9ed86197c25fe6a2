// A thread counts and then reads the counter with an ordinary load. Nothing orders the other threads' atomic operations
// before that, even if its own one happened to be the last.
__device__ int in_grid, out[3], of_thread[64];

__global__ void in_warp() {
    __shared__ int counter;
    if (threadIdx.x == 0)
        counter = 0;
    __syncwarp();
    atomicAdd(&counter, 1); // other 1
    if (threadIdx.x == 31)
        out[0] = counter; // error 1: read-after-write-race
}

__global__ void in_launch() {
    atomicAdd(&in_grid, 1); // other 2
    if (threadIdx.x == 31 && blockIdx.x == 3)
        out[1] = in_grid; // error 2: read-after-write-race
}

// The barrier orders the atomic operations of its own block only.
__global__ void behind_a_barrier() {
    atomicAdd(&in_grid, 1); // other 3
    __syncthreads();
    if (blockIdx.x == 3)
        of_thread[threadIdx.x] = in_grid; // error 3: read-after-write-race
}

__global__ void by_one_thread_of_each_block() {
    if (threadIdx.x == 0)
        atomicAdd(&in_grid, 1); // other 4
    __syncwarp();
    if (threadIdx.x == 1 && blockIdx.x == 3)
        out[2] = in_grid; // error 4: read-after-write-race
}

int main() {
    in_warp<<<1, 32>>>();
    in_launch<<<4, 32>>>();
    behind_a_barrier<<<4, 64>>>();
    by_one_thread_of_each_block<<<4, 32>>>();
    return cudaDeviceSynchronize();
}
