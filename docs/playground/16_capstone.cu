// A producer warp loads swizzled tiles into a ring. Consumer warps transpose them into a buffer, from where they are stored.
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int side = 32, stages = STAGES, consumers = 64;

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
    }
}

__device__ void consumers_meet() {
    asm volatile("bar.sync 1, %0;" ::"n"(consumers) : "memory");
}

// Returns where the copy unit has the element of a tile.
__device__ float* place(float* tile, int row, int column) {
    return tile + side * row + (column ^ row % 8 * 4);
}

__global__ void transpose(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, int tiles) {
    __shared__ alignas(1024) float ring[stages][side * side];
    __shared__ alignas(1024) float staged[2][side * side];
    __shared__ uint64_t full[stages], empty[stages];
    if (threadIdx.x == 0)
        for (int s = 0; s < stages; ++s) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], consumers);
        }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 0; k < tiles; ++k) {
            const int s = k % stages;
#if REFILL == waits
            wait(&empty[s], k / stages % 2 ^ 1);
#endif
            const int32_t at[] = {side * k, 0};
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof ring[s]);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, ring[s], &from, at, &full[s]);
        }
    } else if (threadIdx.x >= 32) {
        const int t = threadIdx.x - 32;
        for (int k = 0; k < tiles; ++k) {
            const int s = k % stages;
            float* buffer = staged[k % 2];
            if (t == 0)
                ptx::cp_async_bulk_wait_group_read(ptx::n32_t<PENDING>{}); // this buffer's last store has read it
            consumers_meet();
            wait(&full[s], k / stages % 2);
            for (int i = t; i < side * side; i += consumers) {
                const int row = i % side, column = i / side ^ row / 8; // the lanes of a warp use different banks
                *place(buffer, column, row) = *place(ring[s], row, column);
            }
#if FENCE == yes
            ptx::fence_proxy_async(ptx::space_shared);
#endif
            ptx::mbarrier_arrive(&empty[s]);
            consumers_meet();
            if (t == 0) {
                const int32_t at[] = {0, side * k};
                ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, at, buffer);
                ptx::cp_async_bulk_commit_group();
            }
        }
        if (t == 0)
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}
