// The report speaks of st.async, not of a bulk copy.
// says: The store completes in phase 0 (parity 0) of the mbarrier full, and this thread has not waited for that phase.
#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ int out[32];

__global__ void reverse() {
    __shared__ alignas(16) int mailbox[32];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof mailbox);
    }
    __syncthreads();
    ptx::st_async(&mailbox[threadIdx.x], int(threadIdx.x), &full); // other 1, error 2: exit-before-completion
    __syncthreads();
    out[threadIdx.x] = mailbox[31 - threadIdx.x]; // error 1: missing-wait
}

int main() {
    reverse<<<1, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/st_async_waited_for
All threads wait for the phase that counts the bytes.

     ptx::st_async(&mailbox[threadIdx.x], int(threadIdx.x), &full);
-    __syncthreads();
+    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
+    }
*/
