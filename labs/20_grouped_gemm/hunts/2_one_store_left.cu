// Hunt 20.h2: one store left
// Running sums of rows: warp 1 computes a row and writes it to one of two buffers, and warp 0 stores it. At first warp
// 0 waited until the store had read its buffer and then gave the buffer back. That left the copy unit idle between two
// stores, so now the wait leaves one store in flight. It has been faster since, and most rows are right.
#include "lab.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WIDTH = 256, EACH = WIDTH / 32; // values of a row, and of a lane
constexpr int OUTS = 2, THREADS = 64;

struct Shared {
    alignas(128) uint32_t out[OUTS][WIDTH];
    uint64_t written[OUTS], stored[OUTS];
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Warp 1: writes the running sums of a row to `out`.
__device__ void sum_up(uint32_t* out, const uint32_t* row) {
    const int lane = threadIdx.x % 32;
    uint32_t values[EACH], sum = 0;
    for (int i = 0; i < EACH; ++i)
        values[i] = sum += row[lane * EACH + i];
    for (int delta = 1; delta < 32; delta *= 2) {
        const uint32_t below = __shfl_up_sync(~0u, sum, delta);
        if (lane >= delta)
            sum += below;
    }
    const uint32_t before = sum - values[EACH - 1]; // the sum of the lanes below
    for (int i = 0; i < EACH; ++i)
        out[lane * EACH + i] = before + values[i];
}

__device__ void compute(Shared& s, const uint32_t* in, int rows) {
    for (int row = 0; row < rows; ++row) {
        const int out = row % OUTS;
        wait(&s.stored[out], (row / OUTS + 1) % 2);
        sum_up(s.out[out], in + row * WIDTH);
        ptx::fence_proxy_async(ptx::space_shared);
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            ptx::mbarrier_arrive(&s.written[out]);
    }
}

// Called by one thread of warp 0.
__device__ void store(Shared& s, uint32_t* result, int rows) {
    for (int row = 0; row < rows; ++row) {
        const int out = row % OUTS;
        wait(&s.written[out], row / OUTS % 2);
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, result + row * WIDTH, s.out[out], sizeof s.out[out]);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>{});
        ptx::mbarrier_arrive(&s.stored[out]);
    }
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
}

__global__ void __launch_bounds__(THREADS) running_sums(const uint32_t* in, uint32_t* result, int rows) {
    __shared__ Shared s;
    if (threadIdx.x == 0)
        for (int i = 0; i < OUTS; ++i) {
            ptx::mbarrier_init(&s.written[i], 1);
            ptx::mbarrier_init(&s.stored[i], 1);
        }
    __syncthreads();
    if (threadIdx.x >= 32)
        compute(s, in, rows);
    else if (threadIdx.x == 0)
        store(s, result, rows);
}

/// `in`, `result`: `rows` rows of 256 values.
cudaError_t launch(const uint32_t* in, uint32_t* result, int rows, cudaStream_t stream) {
    running_sums<<<1, THREADS, 0, stream>>>(in, result, rows);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
