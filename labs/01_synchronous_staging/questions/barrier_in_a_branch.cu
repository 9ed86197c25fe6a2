__device__ int in[64], out[64];

__global__ void sum_of_pairs() {
    __shared__ int tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    int sum = 0;
    if (threadIdx.x % 2 == 0) {
        __syncthreads();
        sum = tile[threadIdx.x] + tile[(threadIdx.x + 2) % 64];
    }
    __syncthreads();
    out[threadIdx.x] = sum;
}

int main() {
    sum_of_pairs<<<1, 64>>>();
    cudaDeviceSynchronize();
}
