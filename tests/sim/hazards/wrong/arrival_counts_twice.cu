// Each consumer's arrival counts twice, so the barrier is two phases ahead of the producer, which waits for the first.
// says: Phases 0 to 1 of the mbarrier empty are over, and no thread has waited for them
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ int out[96];

__global__ void stages() {
    __shared__ int tile[32];
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 32);
        ptx::mbarrier_init(&empty, 32); // other 1
    }
    __syncthreads();
    const unsigned lane = threadIdx.x % 32;
    for (int round = 0; round < 3; ++round)
        if (threadIdx.x < 32) {
            while (!ptx::mbarrier_try_wait_parity(&empty, (round + 1) & 1)) { // other 1
            }
            tile[lane] = round;
            ptx::mbarrier_arrive(&full);
        } else {
            while (!ptx::mbarrier_try_wait_parity(&full, round & 1)) {
            }
            out[32 * round + lane] = tile[31 - lane];
            ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &empty, 2);
            // error 1: deadlock, note 2: phase-without-wait
        }
}

int main() {
    stages<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
/*
== clean/arrival_counts_once
Each consumer's arrival counts once.

-            ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &empty, 2);
+            ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &empty, 1);
*/
