// The kernel that fills is behind the one that raises the flag, not before it.
#include <cuda/atomic>

__device__ int filled[64], out[64], ready;

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void fill() {
    filled[threadIdx.x] = threadIdx.x; // other
}
__global__ void raise() {
    Flag(ready).store(1, cuda::memory_order_release);
}
__global__ void consume() {
    while (Flag(ready).load(cuda::memory_order_acquire) == 0) {
    }
    out[threadIdx.x] = filled[63 - threadIdx.x]; // error: stream-race
}

int main() {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    consume<<<1, 64, 0, second>>>(); // other
    raise<<<1, 1, 0, first>>>();
    fill<<<1, 64, 0, first>>>(); // other
    return cudaDeviceSynchronize();
}
