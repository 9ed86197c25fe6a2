// Hunt 09.h1: the last block reads the totals
// Adds up the columns of a matrix. Each block adds a share of the rows, and adds its sums to the totals in global
// memory with one bulk reduction. The block that finishes last looks for the largest total. The totals are always
// right. The largest one is sometimes too small, and more often so on a busy GPU.
#include "lab.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int COLUMNS = 128;

// Counts the blocks that have finished; the last one starts again at zero.
__device__ unsigned finished = 0;

// Adds a row of sums to the totals. Called by one thread, which returns when the totals include the row.
__device__ void add_to_totals(int* totals, const int* sums) {
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, totals, sums, COLUMNS * sizeof(int));
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
}

// True in every thread of the block that calls this last. What blocks have written before is visible to it.
__device__ bool is_last_block() {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(&finished, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    return last;
}

__global__ void __launch_bounds__(COLUMNS) add_columns(const int* matrix, int rows, int* totals, int* largest) {
    __shared__ alignas(16) int sums[COLUMNS];
    const int t = threadIdx.x;
    int sum = 0;
    for (int row = blockIdx.x; row < rows; row += gridDim.x)
        sum += matrix[row * COLUMNS + t];
    sums[t] = sum;
    ptx::fence_proxy_async(ptx::space_shared); // the reduction reads the sums through the async proxy
    __syncthreads();
    if (t == 0)
        add_to_totals(totals, sums);

    if (!is_last_block())
        return;
    int most = totals[t];
    for (int distance = 16; distance > 0; distance /= 2)
        most = max(most, __shfl_xor_sync(~0u, most, distance));
    if (t % 32 == 0)
        sums[t / 32] = most;
    __syncthreads();
    if (t == 0) {
        for (int warp = 1; warp < COLUMNS / 32; ++warp)
            most = max(most, sums[warp]);
        *largest = most;
        finished = 0;
    }
}

/// `matrix` has `rows` rows of 128 integers. `totals` is a 16-byte aligned array of 128 integers, `largest` is one.
void launch(const int* matrix, int rows, int* totals, int* largest, cudaStream_t stream) {
    cudaMemsetAsync(totals, 0, COLUMNS * sizeof(int), stream);
    add_columns<<<4, COLUMNS, 0, stream>>>(matrix, rows, totals, largest);
}

LAB_ENTRY(launch)
