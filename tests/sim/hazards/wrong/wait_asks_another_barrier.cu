// Each stage has a barrier, but the wait always asks the first one.
// says: Its last wait asked the mbarrier full[0], for a phase that it had already waited for.
#include <cuda/ptx>

__device__ alignas(16) int in[2][64], out[2][64];

__global__ void two_stages() {
    namespace ptx = cuda::ptx;
    __shared__ alignas(16) int tile[2][64];
    __shared__ uint64_t full[2];
    if (threadIdx.x == 0) {
        for (auto& barrier : full)
            ptx::mbarrier_init(&barrier, 1);
        for (int s = 0; s < 2; ++s) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof tile[s]);
            ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, tile[s], in[s], sizeof tile[s], &full[s]);
            // other 1, error 2: exit-before-completion
        }
    }
    __syncthreads();
    for (int s = 0; s < 2; ++s) {
        while (!ptx::mbarrier_try_wait_parity(&full[0], 0)) { // error 1: missing-wait
        }
        out[s][threadIdx.x] = tile[s][63 - threadIdx.x]; // other 1
    }
}

int main() {
    two_stages<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/wait_asks_the_barrier_of_its_stage
Each stage has a barrier, and the wait asks it.

-        while (!ptx::mbarrier_try_wait_parity(&full[0], 0)) {
+        while (!ptx::mbarrier_try_wait_parity(&full[s], 0)) {
*/
