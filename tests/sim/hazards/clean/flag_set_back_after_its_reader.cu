// The reader says that it has looked, and the flag is set back after that only.
#include <cuda/atomic>
__device__ int flag, looked, seen;

__global__ void raise_and_lower() {
    cuda::atomic_ref<int, cuda::thread_scope_device> shared(flag), done(looked);
    if (blockIdx.x == 0) {
        seen = shared.load(cuda::memory_order_relaxed);
        done.store(1, cuda::memory_order_release);
    } else {
        shared.fetch_add(1, cuda::memory_order_relaxed);
        while (!done.load(cuda::memory_order_acquire))
            ;
        flag = 0;
    }
}

int main() {
    raise_and_lower<<<2, 1>>>();
    return cudaDeviceSynchronize();
}
