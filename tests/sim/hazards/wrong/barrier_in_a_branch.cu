// Only every second warp reaches the first barrier, so it meets the other warps at the second one.
// says: Some warps waited at the first of these barriers while others were already waiting at the second. The two released each other, so neither orders these accesses.
// says: Other warps of the block waited at barrier_in_a_branch.cu:
__device__ int in[128], out[128];

__global__ void combine() {
    __shared__ int partial[4], total[2];
    const int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0)
        partial[warp] = in[threadIdx.x];
    if (warp % 2 == 0) {
        __syncthreads(); // error 1: misaligned-barrier-lines
        if (threadIdx.x % 32 == 0)
            total[warp / 2] = partial[warp] + partial[warp + 1]; // other 1
    }
    __syncthreads(); // other 1, note 3: misaligned-barrier-lines
    out[threadIdx.x] = total[warp / 2]; // other 1, error 2: uninitialised-read
}

int main() {
    combine<<<1, 128>>>();
    return cudaDeviceSynchronize();
}
