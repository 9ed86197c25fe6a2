// expect: barrier-overflow
// The parity flips every round, but each barrier completes a phase every other round.
// Drill 12.5: the next window
// A block adds up the rows of a table, four rows at a time. Two windows take turns: while the block adds up one, the
// next should already be on its way. Issue the load of the next window, if there is one, and then wait for this one.
// Each barrier completes a phase every other round.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WIDTH = 64, HEIGHT = 4;

struct Window {
    alignas(128) float at[HEIGHT][WIDTH];
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

__device__ void load(Window& window, const CUtensorMap* table, int row, uint64_t* full) {
    const int at[] = {0, row};
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, full, sizeof window.at);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, window.at, table, at, full);
}

__global__ void __launch_bounds__(WIDTH) add_up(const __grid_constant__ CUtensorMap table, float* sums, int rows) {
    __shared__ Window windows[2];
    __shared__ uint64_t full[2];
    if (threadIdx.x < 2)
        ptx::mbarrier_init(&full[threadIdx.x], 1);
    __syncthreads();

    float sum = 0;
    if (threadIdx.x == 0)
        load(windows[0], &table, 0, &full[0]);
    for (int k = 0; k * HEIGHT < rows; ++k) {
        const int now = k % 2, next_row = (k + 1) * HEIGHT;

        // TODO(1): thread 0 loads the next window. Then all threads wait for this one.
        if (threadIdx.x == 0 && next_row < rows)
            load(windows[1 - now], &table, next_row, &full[1 - now]);
        wait(&full[now], k % 2);
        // END TODO(1)

        for (int i = 0; i < HEIGHT; ++i)
            sum += windows[now].at[i][threadIdx.x];
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads(); // every thread has read this window
    }
    sums[threadIdx.x] = sum;
}

CUresult make_map(CUtensorMap* map, const float* image, int rows, int columns, cuuint32_t box_width,
                  cuuint32_t box_height) {
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, stride[] = {columns * sizeof(float)};
    const cuuint32_t box[] = {box_width, box_height}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(image), size, stride, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `table`: `rows` contiguous rows of 64 values. `sums`: the sum of each column.
cudaError_t launch(const float* table, float* sums, int rows, cudaStream_t stream) {
    CUtensorMap map;
    if (make_map(&map, table, rows, WIDTH, WIDTH, HEIGHT))
        return cudaErrorInvalidValue;
    add_up<<<1, WIDTH, 0, stream>>>(map, sums, rows);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
