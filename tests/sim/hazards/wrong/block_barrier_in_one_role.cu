// The consumers meet at __syncthreads(), which counts the producer, too; the producer waits for them.
// says: Barrier 0 (__syncthreads()) counts 64 threads
// says: where they wait, no way leads there
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ int out[64];

__global__ void stages() {
    __shared__ int tile[32];
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 32);
        ptx::mbarrier_init(&empty, 32);
    }
    __syncthreads();
    const unsigned lane = threadIdx.x % 32;
    for (int round = 0; round < 2; ++round)
        if (threadIdx.x < 32) {
            while (!ptx::mbarrier_try_wait_parity(&empty, (round + 1) & 1)) { // other
            }
            tile[lane] = round;
            ptx::mbarrier_arrive(&full);
        } else {
            while (!ptx::mbarrier_try_wait_parity(&full, round & 1)) {
            }
            __syncthreads(); // error: deadlock
            out[32 * round + lane] = tile[31 - lane];
            ptx::mbarrier_arrive(&empty);
        }
}

int main() {
    stages<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
/*
== clean/barrier_of_one_role
The consumers have a barrier of their own.

-            __syncthreads();
+            asm volatile("bar.sync 1, 32;" ::: "memory");
*/
