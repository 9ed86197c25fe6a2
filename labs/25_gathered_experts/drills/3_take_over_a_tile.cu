// Drill 25.3: take over a tile
// A block is launched for each tile. A running block asks for the tile of a block that has not started:
// `ptx::clusterlaunchcontrol_try_cancel(&response, &barrier)` writes 16 bytes to shared memory, which the barrier
// counts. If a launch could be cancelled, `ptx::clusterlaunchcontrol_query_cancel_is_canceled(response)` is true, and
// `ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(response)` is the blockIdx.x that this block would
// have had. If not, there is no other tile, and the number is undefined.
#include "lab.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TILE = 64; // elements, and threads of a block

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

__global__ void __launch_bounds__(TILE) doubled(const float* in, float* out) {
    [[maybe_unused]] __shared__ alignas(16) longlong2 response;
    __shared__ uint64_t answered;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&answered, 1);
    __syncthreads();
    int tile = blockIdx.x;
    bool more = true;
    for (int round = 0; more; ++round) {
        if (threadIdx.x == 0) {
            // TODO(1): announce the bytes of a response, and request a tile.
            // END TODO(1)
        }
        out[tile * TILE + threadIdx.x] = 2 * in[tile * TILE + threadIdx.x]; // while the request is under way
        wait(&answered, round % 2);
        // TODO(2): is there one more tile, and which one?
        // END TODO(2)
        ptx::fence_proxy_async(ptx::space_shared); // the response has been read, and will be overwritten
        __syncthreads();
    }
}

/// `in`, `out`: 64 elements for each tile.
cudaError_t launch(const float* in, float* out, int tiles, cudaStream_t stream) {
    doubled<<<tiles, TILE, 0, stream>>>(in, out);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
