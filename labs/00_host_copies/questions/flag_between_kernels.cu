#include <cuda/atomic>

__device__ int data[64], out[64], ready;

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void produce() {
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        Flag(ready).store(1, cuda::STORE);
}

__global__ void consume() {
    if (threadIdx.x == 0)
        while (Flag(ready).load(cuda::memory_order_acquire) == 0) {
        }
    __syncthreads();
    out[threadIdx.x] = data[63 - threadIdx.x];
}

int main() {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    produce<<<1, 64, 0, first>>>();
    consume<<<1, 64, 0, second>>>();
    cudaDeviceSynchronize();
}
