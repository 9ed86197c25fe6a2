// bar.arrive by the producer, bar.sync by the consumer: the producer does not wait.
__device__ int in[32], out[32];

__global__ void hand_over() {
    __shared__ int tile[32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        tile[lane] = in[lane];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[lane] = tile[31 - lane];
    }
}

int main() {
    hand_over<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
