// expect: read-after-write-race
// One warp stores 32 words at once; one thread of another reads the last of them.
__device__ int in[32], out;

__global__ void share() {
    __shared__ alignas(128) int tile[32];
    const int i = threadIdx.x;
    if (i < 32)
        tile[i] = in[i];
    if (i == 40)
        out = tile[31];
}

int main() {
    share<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
