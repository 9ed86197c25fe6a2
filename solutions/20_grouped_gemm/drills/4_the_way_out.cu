// Drill 20.4: the way out
// Two consumer warps compute parts of a result and write them to two buffers in turn. A storing warp copies them to
// global memory, so that the consumers go on at once. Two mbarriers belong to each buffer: `written` completes when
// both consumer warps have written, `stored` when the store has read. It is a ring in the other direction: here the
// storing warp is the one that may find nothing, and the consumers are those who may find no room.
#include "lab.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int PART = 256, OUTS = 2;
constexpr int CONSUMER_THREADS = 64, THREADS = 32 + CONSUMER_THREADS; // warp 0 stores

struct Shared {
    alignas(128) uint32_t out[OUTS][PART];
    uint64_t written[OUTS], stored[OUTS];
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

__global__ void __launch_bounds__(THREADS) squares(uint32_t* result, int parts) {
    __shared__ Shared s;
    if (threadIdx.x == 0)
        for (int i = 0; i < OUTS; ++i) {
            ptx::mbarrier_init(&s.written[i], CONSUMER_THREADS / 32);
            ptx::mbarrier_init(&s.stored[i], 1);
        }
    __syncthreads();
    for (int part = 0; part < parts; ++part) {
        const int out = part % OUTS;
        [[maybe_unused]] const unsigned lap = part / OUTS;
        if (threadIdx.x >= 32) {
            // TODO(1): wait until the buffer is free. In the first lap it is.
            wait(&s.stored[out], (lap + 1) % 2);
            // END TODO(1)
            for (int i = threadIdx.x - 32; i < PART; i += CONSUMER_THREADS)
                s.out[out][i] = (part * PART + i) * (part * PART + i);
            // TODO(2): the copy unit is to see what all lanes have written. Then one lane of each warp says so.
            ptx::fence_proxy_async(ptx::space_shared);
            __syncwarp();
            if (threadIdx.x % 32 == 0)
                ptx::mbarrier_arrive(&s.written[out]);
            // END TODO(2)
        } else if (threadIdx.x == 0) {
            // TODO(3): wait until the part is written.
            wait(&s.written[out], lap % 2);
            // END TODO(3)
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, result + part * PART, s.out[out],
                               sizeof s.out[out]);
            ptx::cp_async_bulk_commit_group();
            // TODO(4): give the buffer back. From when on may it be overwritten?
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
            ptx::mbarrier_arrive(&s.stored[out]);
            // END TODO(4)
        }
    }
}

/// `result`: `parts` times 256 values; value i becomes i squared.
cudaError_t launch(uint32_t* result, int parts, cudaStream_t stream) {
    squares<<<1, THREADS, 0, stream>>>(result, parts);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
