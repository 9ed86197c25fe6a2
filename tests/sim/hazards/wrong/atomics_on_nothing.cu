// Atomic operations and bulk reductions read what they update.
// says: Nothing has written these bytes of global memory since they were allocated.
#include <cstdint>

__global__ void count(unsigned* counter, int* sums) {
    __shared__ unsigned in_block;
    __shared__ alignas(16) int tile[32];
    tile[threadIdx.x] = 1;
    atomicAdd(&in_block, 1); // error 1: uninitialised-read
    atomicAdd(counter, 1); // error 2: uninitialised-read
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 128;" ::"l"(sums),
                     "r"(unsigned(__cvta_generic_to_shared(tile))) // error 3: uninitialised-read
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

int main() {
    unsigned* counter;
    int* sums;
    cudaMalloc(&counter, sizeof *counter);
    cudaMalloc(&sums, 128);
    count<<<1, 32>>>(counter, sums);
    return cudaDeviceSynchronize();
}
