// expect: read-after-write-race
// The partner waits at another barrier.
__device__ int out[128];

__global__ void halves() {
    __shared__ int tile[128];
    const int i = threadIdx.x, half = i / 64;
    tile[i] = i;
    asm volatile("barrier.sync %0, 64;" ::"r"(half + 1) : "memory");
    out[i] = tile[127 - i];
}

int main() {
    halves<<<1, 128>>>();
    return cudaDeviceSynchronize();
}
