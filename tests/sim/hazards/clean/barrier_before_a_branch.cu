// All warps reach both barriers.
__device__ int in[128], out[128];

__global__ void combine() {
    __shared__ int partial[4], total[2];
    const int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0)
        partial[warp] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x % 64 == 0)
        total[warp / 2] = partial[warp] + partial[warp + 1];
    __syncthreads();
    out[threadIdx.x] = total[warp / 2];
}

int main() {
    combine<<<1, 128>>>();
    return cudaDeviceSynchronize();
}
