// The kernel that raises the flag is behind a memset and a kernel in its stream: a thread that has seen the flag is ordered
// after them, too.
#include <cuda/atomic>

__device__ int cleared[64], filled[64], out[64], ready;

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void fill() {
    filled[threadIdx.x] = threadIdx.x;
}
__global__ void raise() {
    Flag(ready).store(1, cuda::memory_order_release);
}
__global__ void consume() {
    while (Flag(ready).load(cuda::memory_order_acquire) == 0) {
    }
    out[threadIdx.x] = cleared[threadIdx.x] + filled[63 - threadIdx.x];
}

int main() {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    consume<<<1, 64, 0, second>>>();
    void* address;
    cudaGetSymbolAddress(&address, cleared);
    cudaMemsetAsync(address, 0, sizeof cleared, first);
    fill<<<1, 64, 0, first>>>();
    raise<<<1, 1, 0, first>>>();
    return cudaDeviceSynchronize();
}
