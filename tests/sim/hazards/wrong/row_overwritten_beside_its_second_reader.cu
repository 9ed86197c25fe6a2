// expect: write-after-read-race
// Two warps read a row; the third overwrites it after a barrier with the first of them only.
__device__ int in[32], out[96];

__device__ void meet(int threads) {
    asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
}

__global__ void take_turns() {
    __shared__ alignas(128) int tile[32];
    const int i = threadIdx.x, lane = i % 32;
    if (i < 32)
        tile[lane] = in[lane];
    __syncthreads();
    int x = 0;
    if (i < 64)
        x = tile[lane];
    if (i < 32 || i >= 64)
        meet(64);
    if (i >= 64)
        tile[lane] = i;
    __syncthreads();
    out[i] = x + tile[lane];
}

int main() {
    take_turns<<<1, 96>>>();
    return cudaDeviceSynchronize();
}
