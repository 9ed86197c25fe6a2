// Two warps work in turns on one buffer. The first one begins: it signals itself, and then waits for that.
__device__ int out[4];

__device__ void arrive(int barrier) {
    asm volatile("bar.arrive %0, 64;" ::"r"(barrier) : "memory");
}

__device__ void wait(int barrier) {
    asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory");
}

__global__ void take_turns() {
    __shared__ int sum;
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        sum = 0;
    if (warp == 0)
        arrive(1);
    for (int turn = 0; turn < 2; ++turn) {
        wait(1 + warp);
        if (threadIdx.x % 32 == 0)
            out[turn * 2 + warp] = ++sum;
        __syncwarp();
        if (turn == 0 || warp == 0)
            arrive(2 - warp);
    }
}

int main() {
    take_turns<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
