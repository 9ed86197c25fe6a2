// What atomic operations and bulk reductions update has a value; atomicExch may be what gives it one.
#include <cstdint>

__device__ unsigned zero;

__global__ void count(unsigned* counter, unsigned* exchanged, int* sums) {
    __shared__ unsigned in_block;
    __shared__ alignas(16) int tile[32];
    tile[threadIdx.x] = 1;
    if (threadIdx.x == 0)
        in_block = 0;
    __syncthreads();
    atomicAdd(&in_block, 1);
    atomicAdd(counter, 1);
    atomicAdd(&zero, 1);
    if (threadIdx.x == 0)
        atomicExch(exchanged, 0);
    __syncwarp();
    atomicAdd(exchanged, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 128;" ::"l"(sums),
                     "r"(unsigned(__cvta_generic_to_shared(tile)))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

int main() {
    unsigned *counter, *exchanged;
    int* sums;
    cudaMalloc(&counter, sizeof *counter);
    cudaMalloc(&exchanged, sizeof *exchanged);
    cudaMalloc(&sums, 128);
    cudaMemset(counter, 0, sizeof *counter);
    cudaMemset(sums, 0, 128);
    count<<<1, 32>>>(counter, exchanged, sums);
    return cudaDeviceSynchronize();
}
