// Each warp arrives on the other's barrier and waits on its own.
__device__ int in[64], out[64];

__global__ void hand_over() {
    __shared__ int tile[2][32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        tile[0][lane] = in[lane];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        asm volatile("bar.sync 2, 64;" ::: "memory");
        out[lane] = tile[1][31 - lane];
    } else {
        tile[1][lane] = in[lane + 32];
        asm volatile("bar.arrive 2, 64;" ::: "memory");
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[lane + 32] = tile[0][31 - lane];
    }
}

int main() {
    hand_over<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
