__device__ int parts[8], total;
__device__ unsigned counted;

__global__ void sum() {
    parts[blockIdx.x] = blockIdx.x;
    FENCE();
    if (atomicAdd(&counted, 1u) != gridDim.x - 1)
        return;
    __threadfence();
    for (unsigned b = 0; b < gridDim.x; ++b)
        total += parts[b];
}

int main() {
    sum<<<8, 1>>>();
    cudaDeviceSynchronize();
}
