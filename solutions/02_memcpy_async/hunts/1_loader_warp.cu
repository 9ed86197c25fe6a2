// Hunt 02.h1: row maxima
// Four warps look for the largest element of each row. They used to copy the rows, too. Now a fifth warp, the loader,
// issues all copies, so that the others need no addresses. Since then a maximum is wrong now and then, and sometimes
// the kernel does not end.
#include "lab.h"

#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int COLUMNS = 512;
constexpr int SEARCHERS = 128;          // threads that look for the largest element
constexpr int THREADS = SEARCHERS + 32; // and the loader

struct Shared {
    int row[COLUMNS];
    int largest_of_warp[SEARCHERS / 32];
};

__device__ void load_row(Shared& shared, const int* row, Barrier& staged) {
    for (int c = threadIdx.x % 32; c < COLUMNS; c += 32)
        cuda::memcpy_async(&shared.row[c], &row[c], cuda::aligned_size_t<4>(sizeof(int)), staged);
}

// The largest element of the thread's warp's part of the row.
__device__ int search(const Shared& shared) {
    int largest = shared.row[threadIdx.x];
    for (int c = threadIdx.x + SEARCHERS; c < COLUMNS; c += SEARCHERS)
        largest = max(largest, shared.row[c]);
    return __reduce_max_sync(~0u, largest);
}

__global__ void __launch_bounds__(THREADS) row_maxima(const int* matrix, int* maxima, int rows) {
    __shared__ Shared shared;
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier staged;
    const bool is_loader = threadIdx.x >= SEARCHERS;
    if (threadIdx.x == 0)
        init(&staged, THREADS);
    __syncthreads();

    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        if (is_loader) {
            load_row(shared, matrix + row * COLUMNS, staged);
            (void)staged.arrive();
        } else {
            staged.arrive_and_wait(); // the row is complete
            const int largest = search(shared);
            if (threadIdx.x % 32 == 0)
                shared.largest_of_warp[threadIdx.x / 32] = largest;
        }
        __syncthreads(); // the row has been read
        if (threadIdx.x == 0) {
            int largest = shared.largest_of_warp[0];
            for (int warp = 1; warp < SEARCHERS / 32; ++warp)
                largest = max(largest, shared.largest_of_warp[warp]);
            maxima[row] = largest;
        }
        __syncthreads(); // the warps' results have been read
    }
}

/// `matrix`: rows · 512 integers, `maxima`: one integer for each row, in device memory.
cudaError_t launch(const int* matrix, int* maxima, int rows, cudaStream_t stream) {
    if (rows > 0)
        row_maxima<<<min(rows, 2), THREADS, 0, stream>>>(matrix, maxima, rows);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
