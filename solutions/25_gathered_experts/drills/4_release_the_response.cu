// Drill 25.4: release the response
// Warp 3 of each block does nothing but request tiles, while warps 0 to 2 work. Each warp reads the response: warp 3,
// too, because it must not request again once a request has failed. Only when all four have read it, it may be
// overwritten. The unit that writes it uses the async proxy, as copies do. So a warp that has read it owes the others
// two things.
#include "lab.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TILE = 96; // elements, and threads that work
constexpr int WARPS = 4;

struct Shared {
    alignas(16) longlong2 response;
    uint64_t answered, read; // the response is there; each warp has read it
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Moves on to the next tile. Returns false if there is none. Called by all lanes of each warp.
__device__ bool next(Shared& s, int& tile, int round) {
    wait(&s.answered, round % 2);
    const longlong2 response = s.response;
    const bool more = ptx::clusterlaunchcontrol_query_cancel_is_canceled(response);
    if (more)
        tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(response);
    // TODO(1): all lanes of this warp have read the response: one arrival on `read`.
    ptx::fence_proxy_async(ptx::space_shared);
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        ptx::mbarrier_arrive(&s.read);
    // END TODO(1)
    return more;
}

__global__ void __launch_bounds__(32 * WARPS) doubled(const float* in, float* out) {
    __shared__ Shared s;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&s.answered, 1);
        ptx::mbarrier_init(&s.read, WARPS);
    }
    __syncthreads();
    int tile = blockIdx.x, round = 0;
    do {
        if (threadIdx.x == TILE) { // the first lane of warp 3
            // TODO(2): when may the response be overwritten?
            wait(&s.read, (round + 1) % 2);
            // END TODO(2)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.answered,
                                           sizeof s.response);
            ptx::clusterlaunchcontrol_try_cancel(&s.response, &s.answered);
        }
        __syncwarp();
        if (threadIdx.x < TILE)
            out[tile * TILE + threadIdx.x] = 2 * in[tile * TILE + threadIdx.x];
    } while (next(s, tile, round++));
}

/// `in`, `out`: 96 elements for each tile.
cudaError_t launch(const float* in, float* out, int tiles, cudaStream_t stream) {
    doubled<<<tiles, 32 * WARPS, 0, stream>>>(in, out);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
