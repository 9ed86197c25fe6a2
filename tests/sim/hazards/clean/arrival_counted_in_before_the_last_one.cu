// Each lane adds the arrival of its copy to the phase before lane 0 arrives, so the phase waits for all copies.
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

__device__ int in[32], out[32];

__global__ void stage() {
    __shared__ int tile[32];
    __shared__ __mbarrier_t full;
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        __mbarrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x < 32) {
        __pipeline_memcpy_async(&tile[lane], &in[lane], sizeof(int));
        __pipeline_arrive_on(&full);
        __syncwarp();
        if (lane == 0)
            __mbarrier_arrive(&full);
    } else {
        while (!__mbarrier_test_wait_parity(&full, 0)) {
        }
        out[lane] = tile[31 - lane];
    }
}

int main() {
    stage<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
