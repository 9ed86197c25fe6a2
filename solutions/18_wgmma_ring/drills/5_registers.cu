// Drill 18.5: registers for the consumers
// A block has three warpgroups, and 168 registers for each thread. One warpgroup only loads; the two others ask for 240
// registers for each thread. The registers of a block are a pool: a warpgroup waits in setmaxnreg.inc until the others
// have released as many as it asks for. How many may the first warpgroup keep? All of its warps must say so, with
// setmaxnreg.dec.sync.aligned.u32 N, where N is a multiple of 8 from 24 to 256.
#include "lab.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WARPGROUP = 128, CONSUMER_GROUPS = 2; // threads; warpgroups
constexpr int THREADS = WARPGROUP * (1 + CONSUMER_GROUPS);
constexpr int TILE = WARPGROUP * CONSUMER_GROUPS;

__global__ void __launch_bounds__(THREADS) squares(const float* in, float* out) {
    __shared__ alignas(16) float tile[TILE];
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&full, 1);
    __syncthreads();

    if (threadIdx.x < WARPGROUP) {
        // TODO(1): release registers, with all warps of this warpgroup.
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;"); // 3 * 168 - 2 * 240
        // END TODO(1)
        if (threadIdx.x == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + blockIdx.x * TILE, sizeof tile, &full);
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        const int i = threadIdx.x - WARPGROUP;
        while (!ptx::mbarrier_try_wait_parity(&full, 0))
            ;
        out[blockIdx.x * TILE + i] = tile[i] * tile[i];
    }
}

/// `in` and `out`: `tiles` times 256 numbers, 16-byte aligned. out[i] is the square of in[i].
cudaError_t launch(const float* in, float* out, int tiles, cudaStream_t stream) {
    squares<<<tiles, THREADS, 0, stream>>>(in, out);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
