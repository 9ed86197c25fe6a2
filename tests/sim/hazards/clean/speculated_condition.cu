// nvcc loads `state` in every thread and combines the two conditions. One thread uses what it has loaded, and the same
// one writes; the others drop the value.
__device__ int in_grid, out[64];

__global__ void in_block(int who) {
    __shared__ int state;
    if (threadIdx.x == 0)
        state = 5;
    __syncthreads();
    if (threadIdx.x == who && state == 5) {
        out[threadIdx.x] = 1;
        state = 6;
    }
}

__global__ void in_launch(int who) {
    if (threadIdx.x + blockIdx.x == who && in_grid == 0) {
        out[threadIdx.x] = 1;
        in_grid = 1;
    }
}

int main() {
    in_block<<<1, 64>>>(5);
    in_launch<<<2, 64>>>(64);
    return cudaDeviceSynchronize();
}
