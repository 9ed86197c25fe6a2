// The first warp arrives on barrier 1 and waits on it in the next phase, after barrier 2 has shown that the first is over.
__device__ int in[64], out[64];

__global__ void hand_over() {
    __shared__ int tile[2][32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        tile[0][lane] = in[lane];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        asm volatile("bar.sync 2, 64;" ::: "memory");
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[lane] = tile[1][31 - lane];
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[lane + 32] = tile[0][31 - lane];
        asm volatile("bar.arrive 2, 64;" ::: "memory");
        tile[1][lane] = in[lane + 32];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    }
}

int main() {
    hand_over<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
