// Each block waits for the other one's flag before it raises its own.
#include <cuda/atomic>

__device__ int flags[2], out[2];

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void players() {
    while (Flag(flags[1 - blockIdx.x]).load(cuda::memory_order_acquire) == 0) { // error: deadlock
    }
    Flag(flags[blockIdx.x]).store(1, cuda::memory_order_release);
    out[blockIdx.x] = 1;
}

int main() {
    players<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/order_two_blocks_raise_their_flags
Each block raises its flag before it waits.
orders: every

-    while (Flag(flags[1 - blockIdx.x]).load(cuda::memory_order_acquire) == 0) {
-    }
-    Flag(flags[blockIdx.x]).store(1, cuda::memory_order_release);
+    Flag(flags[blockIdx.x]).store(1, cuda::memory_order_release);
+    while (Flag(flags[1 - blockIdx.x]).load(cuda::memory_order_acquire) == 0) {
+    }
*/
