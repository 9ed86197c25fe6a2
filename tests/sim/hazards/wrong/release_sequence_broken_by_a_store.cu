// An ordinary relaxed store by another thread does not continue the release sequence.
#include <cuda/atomic>

__device__ int data, out, flag;

__global__ void pass() {
    cuda::atomic_ref<int, cuda::thread_scope_device> state(flag);
    if (blockIdx.x == 0) {
        data = 42; // other
        state.store(1, cuda::memory_order_release);
    } else if (blockIdx.x == 1) {
        while (state.load(cuda::memory_order_relaxed) != 1) {
        }
        state.store(2, cuda::memory_order_relaxed);
    } else {
        while (state.load(cuda::memory_order_acquire) != 2) {
        }
        out = data; // error: read-after-write-race
    }
}

int main() {
    pass<<<3, 1>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/release_and_acquire
A chain of releases and acquires: block 0 to block 1 to block 2; the exchange in between continues the release
sequence.

-        while (state.load(cuda::memory_order_relaxed) != 1) {
-        }
-        state.store(2, cuda::memory_order_relaxed);
+        int one = 1;
+        while (!state.compare_exchange_weak(one, 2, cuda::memory_order_relaxed))
+            one = 1;

== clean/store_after_a_release
The thread that has released stores again: PTX's release pattern contains this store, too.

         state.store(1, cuda::memory_order_release);
+        state.store(2, cuda::memory_order_relaxed);
     } else if (blockIdx.x == 1) {
-        while (state.load(cuda::memory_order_relaxed) != 1) {
-        }
-        state.store(2, cuda::memory_order_relaxed);
*/
