// One warp takes part in the first round only, and the barrier still counts it in the second.
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ int out[96];

__global__ void rounds() {
    __shared__ barrier meeting;
    if (threadIdx.x == 0)
        init(&meeting, 96);
    __syncthreads();
    if (threadIdx.x >= 64)
        (void)meeting.arrive();
    else
        for (int round = 0; round < 2; ++round)
            meeting.arrive_and_wait(); // error: deadlock
    out[threadIdx.x] = threadIdx.x;
}

int main() {
    rounds<<<1, 96>>>();
    return cudaDeviceSynchronize();
}
