// expect: misaligned-barrier-lines
// expect: uninitialised-read
// Only every second warp reaches the first barrier, so it meets the other warps at the second one.
__device__ int in[128], out[128];

__global__ void combine() {
    __shared__ int partial[4], total[2];
    const int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0)
        partial[warp] = in[threadIdx.x];
    if (warp % 2 == 0) {
        __syncthreads();
        if (threadIdx.x % 32 == 0)
            total[warp / 2] = partial[warp] + partial[warp + 1];
    }
    __syncthreads();
    out[threadIdx.x] = total[warp / 2];
}

int main() {
    combine<<<1, 128>>>();
    return cudaDeviceSynchronize();
}
