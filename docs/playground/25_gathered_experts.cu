// Rows that a list names are gathered, doubled and scattered to the same rows of y, 16 by 16. A block is launched for each
// 16 of them, and running blocks take over those of blocks that have not started.
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int columns = 32, rows = 16;

struct Shared {
    alignas(128) float tile[rows][columns];
    alignas(16) longlong2 response;
    uint64_t full, answered;
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
    }
}

__device__ void expect(uint64_t* barrier, unsigned bytes) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, bytes);
}

__global__ void twice(const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap y, const int* list) {
    __shared__ Shared s;
    const int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&s.full, 1);
        ptx::mbarrier_init(&s.answered, 1);
    }
    __syncthreads();
    bool more = true;
    for (int tile = blockIdx.x, round = 0; more; ++round) {
        const int* four = list + tile * rows + 4 * t;
        if (t == 0) {
            expect(&s.answered, sizeof s.response);
            ptx::clusterlaunchcontrol_try_cancel(&s.response, &s.answered);
            expect(&s.full, BYTES * columns * sizeof(float));
        }
        if (t < rows / 4) {
            const int at[] = {0, four[0], four[1], four[2], four[3]};
            ptx::cp_async_bulk_tensor_tile_gather4(ptx::space_shared, ptx::space_global, s.tile[4 * t], &x, at, &s.full);
        }
        __syncwarp();
        wait(&s.full, round % 2);
        for (int row = t / columns; row < rows; row += 2)
            s.tile[row][t % columns] *= 2;
#if FENCE == on
        ptx::fence_proxy_async(ptx::space_shared);
#endif
        __syncthreads();
        if (t < rows / 4) {
            const int at[] = {0, four[0], four[1], four[2], four[3]};
            ptx::cp_async_bulk_tensor_tile_scatter4(ptx::space_global, ptx::space_shared, &y, at, s.tile[4 * t]);
            ptx::cp_async_bulk_commit_group();
#if READ == on
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
#endif
        }
        __syncwarp();
        wait(&s.answered, round % 2);
        const bool taken = ptx::clusterlaunchcontrol_query_cancel_is_canceled(s.response);
        if (taken)
            tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(s.response);
#if STOP == at_once
        more = taken;
#else
        more = taken || round == 0;
#endif
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
    }
}
