// A block looks at the flag with a relaxed load. Another one raises it atomically and then sets it back with an ordinary
// store, while the first one may still be looking.
#include <cuda/atomic>
__device__ int flag, seen;

__global__ void raise_and_lower() {
    cuda::atomic_ref<int, cuda::thread_scope_device> shared(flag);
    if (blockIdx.x == 0) {
        seen = shared.load(cuda::memory_order_relaxed); // other
    } else {
        shared.fetch_add(1, cuda::memory_order_relaxed);
        flag = 0; // error: write-after-read-race
    }
}

int main() {
    raise_and_lower<<<2, 1>>>();
    return cudaDeviceSynchronize();
}
