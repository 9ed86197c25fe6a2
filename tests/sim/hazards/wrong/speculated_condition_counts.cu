// The same loads, but the first condition holds in other threads, too, and these use what they have loaded.
__device__ int in_grid, out[64];

__global__ void in_block(int who) {
    __shared__ int state;
    if (threadIdx.x == 0)
        state = 5;
    __syncthreads();
    if (threadIdx.x >= who && state == 5) { // other 1
        out[threadIdx.x] = 1;
        if (threadIdx.x == 63)
            state = 6; // error 1: write-after-read-race
    }
}

__global__ void in_launch(int who) {
    if (threadIdx.x + blockIdx.x >= who && in_grid == 0) { // other 2
        out[threadIdx.x] = 1;
        if (threadIdx.x == 63)
            in_grid = 1; // error 2: write-after-read-race
    }
}

int main() {
    in_block<<<1, 64>>>(62);
    in_launch<<<1, 64>>>(62);
    return cudaDeviceSynchronize();
}
