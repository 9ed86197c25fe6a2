// As word_of_a_row_read_before_the_barrier, with the barrier.
__device__ int in[32], out;

__global__ void share() {
    __shared__ alignas(128) int tile[32];
    const int i = threadIdx.x;
    if (i < 32)
        tile[i] = in[i];
    __syncthreads();
    if (i == 40)
        out = tile[31];
}

int main() {
    share<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
