#include <cuda_runtime.h>

constexpr int TURNS = 4;

__device__ int last;

__device__ void take_turn(int warp) {
    asm volatile("bar.sync %0, 64;" ::"r"(1 + warp) : "memory");
}

__device__ void hand_over(int warp) {
#if WAITS
    asm volatile("bar.sync %0, 64;" ::"r"(2 - warp) : "memory");
#else
    asm volatile("bar.arrive %0, 64;" ::"r"(2 - warp) : "memory");
#endif
}

__global__ void __launch_bounds__(64) write_in_turns() {
    __shared__ int word;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == FIRST)
        hand_over(warp);
    for (int i = 0; i < TURNS; ++i) {
        take_turn(warp);
        if (lane == 0)
            word = 2 * i + warp;
        hand_over(warp);
    }
    if (warp == 0) {
        take_turn(warp);
        if (lane == 0)
            last = word;
    }
}

int main() {
    write_in_turns<<<1, 64>>>();
    cudaDeviceSynchronize();
}
