// The warpgroup waits for the copy only after the multiplication that reads its bytes. The flag orders nothing; it
// makes the copy come second in each run. Its neighbour, clean/gemm_tma_wgmma.cu, waits first.
// says: The copy completes in phase 0 (parity 0) of the mbarrier full, and the warpgroup has not waited for that phase.
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ alignas(128) uint16_t in[128];
__device__ float out[128];

__global__ void sum() {
    __shared__ alignas(128) uint16_t tile[128];
    __shared__ alignas(8) uint64_t full;
    __shared__ volatile int flag;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        flag = 0;
    }
    __syncthreads();
    if (threadIdx.x == 128) {
        while (!flag) {
        }
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof tile, &full); // other
    }
    if (threadIdx.x >= 128)
        return;
    const uint64_t matrix = __cvta_generic_to_shared(tile) >> 4 | 8ull << 16 | 16ull << 32;
    const uint32_t ones = 0x3f803f80;
    float d[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, "
                 "1, 1, 1, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(ones), "l"(matrix)); // error: missing-wait
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    if (threadIdx.x == 0)
        flag = 1;
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[threadIdx.x] = d[0];
}

int main() {
    sum<<<1, 160>>>();
    return cudaDeviceSynchronize();
}
