// Two calls on neighbouring lines, unrolled: each read's report names the call that copies its bytes.
// says: The copy completes in phase 0 (parity 0) of the mbarrier full, and this thread has not waited for that phase.
#include <cuda/ptx>

__device__ alignas(16) int in[2][4][64], out[2][4][64];

__global__ void copy() {
    namespace ptx = cuda::ptx;
    __shared__ uint64_t full;
    __shared__ alignas(16) int a[4][64], b[4][64];
    const int i = threadIdx.x;
    if (i == 0)
        ptx::mbarrier_init(&full, 1);
    __syncthreads();
    if (i == 0)
#pragma unroll 4
    for (int k = 0; k < 4; ++k) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, a[k], in[0][k], sizeof a[k], &full); // other 1
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, b[k], in[1][k], sizeof b[k], &full); // other 2
    }
    if (i == 0)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof a + sizeof b);
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < 4; ++k) {
        out[0][k][i] = a[k][i]; // error 1: missing-wait
        out[1][k][i] = b[k][i]; // error 2: missing-wait
    }
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
    }
}

int main() {
    copy<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
