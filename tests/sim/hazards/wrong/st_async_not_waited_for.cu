// expect: missing-wait
// expect: exit-before-completion
// The report speaks of st.async, not of a bulk copy.
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
    ptx::st_async(&mailbox[threadIdx.x], int(threadIdx.x), &full);
    __syncthreads();
    out[threadIdx.x] = mailbox[31 - threadIdx.x];
}

int main() {
    reverse<<<1, 32>>>();
    return cudaDeviceSynchronize();
}
