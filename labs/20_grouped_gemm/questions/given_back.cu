#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WORDS = 32, PARTS = 4;

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Warp 1 writes parts, warp 0 stores them.
__global__ void __launch_bounds__(64) count_up(int* result) {
    __shared__ alignas(128) int out[WORDS];
    __shared__ uint64_t written, stored;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&written, 1);
        ptx::mbarrier_init(&stored, 1);
    }
    __syncthreads();
    for (int part = 0; part < PARTS; ++part) {
        if (threadIdx.x >= 32) {
            wait(&stored, (part + 1) % 2);
            out[threadIdx.x - 32] = part * WORDS + threadIdx.x - 32;
            ptx::fence_proxy_async(ptx::space_shared);
            __syncwarp();
            if (threadIdx.x == 32)
                ptx::mbarrier_arrive(&written);
        } else if (threadIdx.x == 0) {
            wait(&written, part % 2);
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, result + part * WORDS, out, sizeof out);
            ptx::cp_async_bulk_commit_group();
            ptx::mbarrier_arrive(&stored);
        }
    }
    if (threadIdx.x == 0)
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
}

int main() {
    int* memory;
    cudaMalloc(&memory, PARTS * WORDS * sizeof(int));
    count_up<<<1, 64>>>(memory);
    cudaDeviceSynchronize();
}
