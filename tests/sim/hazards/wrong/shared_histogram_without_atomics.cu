// expect: write-after-write-race
// expect: write-after-read-race
// expect: read-after-write-race
// Plain increments of the same bin race.
__device__ int in[256], out[16];

__global__ void histogram() {
    __shared__ int bins[16];
    const int i = threadIdx.x;
    if (i < 16)
        bins[i] = 0;
    __syncthreads();
    bins[(in[i] + i) % 16] += 1;
    __syncthreads();
    if (i < 16)
        atomicAdd(&out[i], bins[i]);
}

int main() {
    histogram<<<2, 256>>>();
    return cudaDeviceSynchronize();
}
