#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WORDS = 64, TILES = 4;

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Warp 0 loads, warps 1 and 2 add.
__global__ void __launch_bounds__(96) add_up(const int* in, int* out) {
    __shared__ alignas(128) int stage[WORDS];
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_init(&empty, 1);
    }
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < TILES; ++k) {
        if (threadIdx.x < 32) {
            wait(&empty, (k + 1) % 2);
            if (threadIdx.x == 0) {
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full,
                                               sizeof stage);
                ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stage, in + k * WORDS, sizeof stage, &full);
            }
            __syncwarp();
        } else {
            wait(&full, k % 2);
            sum += stage[threadIdx.x - 32];
            ptx::fence_proxy_async(ptx::space_shared);
            __syncthreads(); // both warps have read
            if (threadIdx.x == 32)
                ptx::mbarrier_arrive(&empty);
        }
    }
    if (threadIdx.x >= 32)
        out[threadIdx.x - 32] = sum;
}

int main() {
    int* memory;
    cudaMalloc(&memory, (TILES + 1) * WORDS * sizeof(int));
    cudaMemset(memory, 0, (TILES + 1) * WORDS * sizeof(int));
    add_up<<<1, 96>>>(memory, memory + TILES * WORDS);
    cudaDeviceSynchronize();
}
