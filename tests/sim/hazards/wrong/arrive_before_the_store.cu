// expect: read-after-write-race
// The store comes after the arrival.
__device__ int in[32], out[32];

__global__ void hand_over() {
    __shared__ int tile[32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        tile[lane] = in[lane] + 1;
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        __nanosleep(20);
        out[lane] = tile[31 - lane];
    }
}

int main() {
    hand_over<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
