// The issuer of the copy waits for it, too: that wait comes after the issue, and nothing orders it before mbarrier.inval.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int tile_size = 64;
__device__ alignas(16) int in[tile_size], out[tile_size];

__global__ void copy() {
    __shared__ alignas(128) int tile[tile_size];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 32) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof tile, &bar);
        while (!ptx::mbarrier_try_wait_parity(&bar, 0)) { // other
        }
        out[0] = tile[0];
    }
    if (threadIdx.x == 0) {
        while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
        }
        for (int i = 1; i < tile_size; ++i)
            out[i] = tile[i];
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(unsigned(__cvta_generic_to_shared(&bar))) : "memory");
        // error: barrier-reinitialised
    }
}

int main() {
    copy<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
