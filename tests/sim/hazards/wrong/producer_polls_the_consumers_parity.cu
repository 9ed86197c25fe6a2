// Both roles ask without suspending, as on sm_80, and the producer starts with the parity of the consumers.
// says: The phase before the first counts as complete, so a wait for parity 1 would return at once.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ int in[96], out[96];

__device__ void copy_4(int* shared, const int* global) {
    const unsigned destination = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(destination), "l"(global) : "memory");
}

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
            while (!ptx::mbarrier_test_wait_parity(&empty, round & 1)) { // error 1: deadlock
            }
            copy_4(&tile[lane], &in[32 * round + lane]);
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(
                             static_cast<unsigned>(__cvta_generic_to_shared(&full)))
                         : "memory");
        } else {
            while (!ptx::mbarrier_test_wait_parity(&full, round & 1)) { // other 1
            }
            out[32 * round + lane] = tile[31 - lane];
            ptx::mbarrier_arrive(&empty);
        }
}

int main() {
    stages<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
/*
== clean/producer_polls_the_other_parity
The phase before the first counts as complete.

-            while (!ptx::mbarrier_test_wait_parity(&empty, round & 1)) {
+            while (!ptx::mbarrier_test_wait_parity(&empty, (round + 1) & 1)) {
*/
