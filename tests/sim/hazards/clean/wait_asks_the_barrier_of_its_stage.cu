// Each stage has a barrier, and the wait asks it.
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
        }
    }
    __syncthreads();
    for (int s = 0; s < 2; ++s) {
        while (!ptx::mbarrier_try_wait_parity(&full[s], 0)) {
        }
        out[s][threadIdx.x] = tile[s][63 - threadIdx.x];
    }
}

int main() {
    two_stages<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
