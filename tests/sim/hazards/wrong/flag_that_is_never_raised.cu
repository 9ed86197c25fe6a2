// The last block waits for a flag that no block raises.
// says: asks again and again for flags[1], which is 0
#include <cuda/atomic>

__device__ int flags[3], sums[3];

__global__ void chain() {
    using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;
    while (blockIdx.x > 0 && Flag(flags[blockIdx.x - 1]).load(cuda::memory_order_acquire) == 0) { // error: deadlock
    }
    sums[blockIdx.x] = blockIdx.x > 0 ? sums[blockIdx.x - 1] + 1 : 1;
    if (blockIdx.x != 1)
        Flag(flags[blockIdx.x]).store(1, cuda::memory_order_release);
}

int main() {
    chain<<<3, 1>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/flag_that_each_block_raises
Each block raises its flag.

-    if (blockIdx.x != 1)
-        Flag(flags[blockIdx.x]).store(1, cuda::memory_order_release);
+    Flag(flags[blockIdx.x]).store(1, cuda::memory_order_release);
*/
