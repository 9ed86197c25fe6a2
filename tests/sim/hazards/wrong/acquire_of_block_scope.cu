// The load that acquires takes effect in its own block, and the writer is in another one.
// says: but the load that sees it
#include <cuda/atomic>

__device__ int data, flag, out;

__global__ void pass() {
    if (blockIdx.x == 0) {
        data = 42; // other
        cuda::atomic_ref<int, cuda::thread_scope_device>(flag).store(1, cuda::memory_order_release); // other
    } else {
        cuda::atomic_ref<int, cuda::thread_scope_block> ready(flag);
        while (ready.load(cuda::memory_order_acquire) == 0) { // other
        }
        out = data; // error: scope-too-narrow
    }
}

int main() {
    pass<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/acquire_of_device_scope
The load acquires for the whole device.

-        cuda::atomic_ref<int, cuda::thread_scope_block> ready(flag);
+        cuda::atomic_ref<int, cuda::thread_scope_device> ready(flag);
*/
