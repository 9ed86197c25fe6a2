// Each kernel waits for the other one's flag before it raises its own.
#include <cuda/atomic>

__device__ int ping, pong;

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void player(int* mine, int* other) {
    while (Flag(*other).load(cuda::memory_order_acquire) == 0) { // error: deadlock
    }
    Flag(*mine).store(1, cuda::memory_order_release);
}
__global__ void partner(int* mine, int* other) {
    while (Flag(*other).load(cuda::memory_order_acquire) == 0) {
    }
    Flag(*mine).store(1, cuda::memory_order_release);
}

int main() {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    int *a, *b;
    cudaGetSymbolAddress(reinterpret_cast<void**>(&a), ping);
    cudaGetSymbolAddress(reinterpret_cast<void**>(&b), pong);
    player<<<1, 1, 0, first>>>(a, b);
    partner<<<1, 1, 0, second>>>(b, a);
    cudaDeviceSynchronize();
    return 0;
}
