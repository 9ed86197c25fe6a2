// says: The thread waited for parity 1 before any phase of the mbarrier filled had completed; on a new barrier that wait returns at once. No thread had written these bytes by then.
#include <cuda_awbarrier_primitives.h>

__device__ int in[32], out[32];

__global__ void turn() {
    __shared__ int tile[32];
    __shared__ __mbarrier_t filled;
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        __mbarrier_init(&filled, 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        tile[lane] = in[lane]; // other
        __mbarrier_arrive(&filled);
    } else {
        while (!__mbarrier_test_wait_parity(&filled, 1)) { // error: early-phase
        }
        out[lane] = tile[31 - lane]; // other
    }
}

int main() {
    turn<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
