// Other threads may still wait on the mbarrier when its memory becomes data.
// says: Nothing orders that use before the store, so a thread may still arrive or wait on the mbarrier while its memory becomes data.
#include <cuda_awbarrier_primitives.h>

__device__ int out[64];

__global__ void count() {
    __shared__ alignas(8) int scratch[2];
    auto* const barrier = reinterpret_cast<__mbarrier_t*>(scratch);
    const int i = threadIdx.x;
    if (i == 0)
        __mbarrier_init(barrier, 64);
    __syncthreads();
    const __mbarrier_token_t token = __mbarrier_arrive(barrier);
    while (!__mbarrier_test_wait(barrier, token)) { // other
    }
    if (i < 2)
        scratch[i] = i; // error: barrier-reinitialised
    __syncthreads();
    out[i] = scratch[i % 2];
}

int main() {
    count<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/mbarrier_memory_becomes_data_after_a_barrier
All threads have waited when one ends the mbarrier.

     }
+    __syncthreads();
+    if (i == 0)
+        __mbarrier_inval(barrier);
+    __syncthreads();
*/
