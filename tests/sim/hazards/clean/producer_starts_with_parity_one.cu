// The producer of a ring waits for the phase before the first in its first lap: nobody has to release new stages.
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ alignas(128) int in[8][32];
__device__ int out[32];

__global__ void ring() {
    constexpr int stages = 2;
    __shared__ alignas(128) int tile[stages][32];
    __shared__ uint64_t full[stages], empty[stages];
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; ++s) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], 32);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x == 32)
        for (int t = 0; t < 8; ++t) {
            while (!ptx::mbarrier_try_wait_parity(&empty[t % stages], (t / stages & 1) ^ 1)) {
            }
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[t % stages],
                                           sizeof tile[0]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[t % stages], in[t], sizeof tile[0],
                               &full[t % stages]);
        }
    if (threadIdx.x >= 32)
        return;
    int sum = 0;
    for (int t = 0; t < 8; ++t) {
        while (!ptx::mbarrier_try_wait_parity(&full[t % stages], t / stages & 1)) {
        }
        sum += tile[t % stages][31 - threadIdx.x];
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive(&empty[t % stages]);
    }
    out[threadIdx.x] = sum;
}

int main() {
    ring<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
