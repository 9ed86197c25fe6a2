// Drill 22.1: allocate and publish
// Each thread puts a number into Tensor Memory and loads it again. First, one warp allocates columns. All 32 lanes of
// it execute tcgen05_alloc(ptx::cta_group_1, &base, columns), which writes the address of the columns to the variable
// `base` in shared memory. The number of columns is a power of two from 32 to 512. What does it take until the other
// warps may read the address?
#include "lab.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int COLUMNS = 32, THREADS = 128;

__global__ void __launch_bounds__(THREADS) keep(const uint32_t* in, uint32_t* out) {
    extern __shared__ uint32_t shared[];
    uint32_t& base = shared[0];
    const int i = threadIdx.x, warp = i / 32;
    // TODO(1): warp 0 allocates COLUMNS columns, and every thread may read `base` then.
    // END TODO(1)

    const uint32_t cells = base + (32 * warp << 16); // the first column of the warp's lanes
    uint32_t value[] = {in[i]};
    ptx::tcgen05_st_32x32b(cells, value);
    ptx::tcgen05_wait_st();
    ptx::tcgen05_ld_32x32b(value, cells);
    ptx::tcgen05_wait_ld();
    out[i] = value[0];

    __syncthreads(); // no warp uses the columns any more
    if (warp == 0)
        ptx::tcgen05_dealloc(ptx::cta_group_1, base, COLUMNS);
}

/// `in` and `out`: 128 numbers.
cudaError_t launch(const uint32_t* in, uint32_t* out, cudaStream_t stream) {
    keep<<<1, THREADS, sizeof(uint32_t), stream>>>(in, out);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
