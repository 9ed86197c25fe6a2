// expect: read-after-write-race
// An ordinary relaxed store by another thread does not continue the release sequence.
#include <cuda/atomic>

__device__ int data, out, flag;

__global__ void pass() {
    cuda::atomic_ref<int, cuda::thread_scope_device> state(flag);
    if (blockIdx.x == 0) {
        data = 42;
        state.store(1, cuda::memory_order_release);
    } else if (blockIdx.x == 1) {
        while (state.load(cuda::memory_order_relaxed) != 1) {
        }
        state.store(2, cuda::memory_order_relaxed);
    } else {
        while (state.load(cuda::memory_order_acquire) != 2) {
        }
        out = data;
    }
}

int main() {
    pass<<<3, 1>>>();
    return cudaDeviceSynchronize();
}
