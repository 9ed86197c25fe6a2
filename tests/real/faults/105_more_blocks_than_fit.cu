// source: cub#369, a grid barrier hangs because the grid has more blocks than the GPU runs at once
// cause: The blocks that run spin at the grid barrier for blocks that cannot start before one of them ends.
// rule: deadlock
#include <cstdio>
#include <vector>

constexpr int threads = 32, bytes = 200 << 10;

__device__ unsigned arrived;

__global__ void two_passes(int* data) {
    extern __shared__ char room_for_one_block[];
    room_for_one_block[threadIdx.x] = 0;
    const int i = blockIdx.x * threads + threadIdx.x, n = gridDim.x * threads;
    data[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived, 1u);
        while (*static_cast<volatile unsigned*>(&arrived) < gridDim.x) { // <-- cause
        }
        __threadfence();
    }
    __syncthreads();
    const int other = data[n - 1 - i];
    if (other != n - 1 - i)
        __trap();
}

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    int processors, *data;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    cudaFuncSetAttribute(two_passes, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    const int blocks = processors + 2;
    cudaMalloc(&data, blocks * threads * sizeof(int));
    two_passes<<<blocks, threads, bytes>>>(data); // <-- cause
    return verdict(0);
}
