// A thread counts and then sets the counter back with an ordinary store, but the others may not have counted yet.
__device__ int in_grid;

__global__ void in_warp() {
    __shared__ int counter;
    if (threadIdx.x == 0)
        counter = 0;
    __syncwarp();
    atomicAdd(&counter, 1); // other 1
    if (threadIdx.x == 31)
        counter = 0; // error 1: write-after-write-race
}

__global__ void behind_a_barrier() {
    atomicAdd(&in_grid, 1); // other 2
    __syncthreads();
    if (blockIdx.x == 3 && threadIdx.x == 0)
        in_grid = 0; // error 2: write-after-write-race
}

int main() {
    in_warp<<<1, 32>>>();
    behind_a_barrier<<<4, 64>>>();
    return cudaDeviceSynchronize();
}
