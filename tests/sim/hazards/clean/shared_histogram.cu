// Atomic operations do not race with each other; the barriers order the plain accesses before and after them.
__device__ int in[256], out[16];

__global__ void histogram() {
    __shared__ int bins[16];
    const int i = threadIdx.x;
    if (i < 16)
        bins[i] = 0;
    __syncthreads();
    atomicAdd(&bins[(in[i] + i) % 16], 1);
    __syncthreads();
    if (i < 16)
        atomicAdd(&out[i], bins[i]);
}

int main() {
    histogram<<<2, 256>>>();
    return cudaDeviceSynchronize();
}
