// Hunt 06.h1: a second producer warp.
// A streaming checksum: some warps copy, the others add. One producer warp was too slow, so the kernel got a second
// one; each copies half of a tile. Observed: since then the sum of a long input is wrong, or the kernel never ends.
#include "lab.h"

#include <algorithm>
#include <cooperative_groups.h>
#include <cuda/pipeline>
#pragma nv_diag_suppress static_var_with_dynamic_init // make_pipeline initialises a pipeline_shared_state

namespace cg = cooperative_groups;

constexpr int WARP = 32;
constexpr int PRODUCER_WARPS = 2, CONSUMER_WARPS = 4;
constexpr int THREADS = WARP * (PRODUCER_WARPS + CONSUMER_WARPS);
constexpr int HALF = 4 * WARP;              // words that one producer warp copies: 16 bytes for each lane
constexpr int TILE = PRODUCER_WARPS * HALF; // words
constexpr int STAGES = 3;

// The tiles of this block: blockIdx.x, blockIdx.x + gridDim.x, …
struct Tiles {
    int all;
    __device__ int count() const { return (all - static_cast<int>(blockIdx.x) + gridDim.x - 1) / gridDim.x; }
    __device__ int first(int k) const { return (blockIdx.x + k * gridDim.x) * TILE; }
};

__global__ void __launch_bounds__(THREADS) checksum(const uint32_t* in, uint32_t* total, int tiles) {
    __shared__ alignas(16) uint32_t ring[STAGES][TILE];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    const auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state, WARP); // the first warp copies
    const Tiles mine{tiles};
    const auto warp = cg::tiled_partition<WARP>(block);
    const int rank = warp.meta_group_rank();

    if (rank < PRODUCER_WARPS) {
        for (int k = 0; k < mine.count(); ++k) {
            pipe.producer_acquire();
            cuda::memcpy_async(warp, &ring[k % STAGES][rank * HALF], in + mine.first(k) + rank * HALF,
                               cuda::aligned_size_t<16>(HALF * sizeof(uint32_t)), pipe);
            pipe.producer_commit();
        }
        return;
    }
    uint32_t sum = 0;
    for (int k = 0; k < mine.count(); ++k) {
        pipe.consumer_wait();
        for (int i = threadIdx.x - PRODUCER_WARPS * WARP; i < TILE; i += CONSUMER_WARPS * WARP)
            sum = sum + ring[k % STAGES][i] * (2 * i + 1); // a place counts, too
        pipe.consumer_release();
    }
    sum = __reduce_add_sync(~0u, sum);
    if (warp.thread_rank() == 0)
        atomicAdd(total, sum);
}

/// `in` is a 16-byte aligned array of 256 words for each tile; `total` is one word.
cudaError_t launch(const uint32_t* in, uint32_t* total, int tiles, cudaStream_t stream) {
    cudaMemsetAsync(total, 0, sizeof *total, stream);
    checksum<<<std::clamp(tiles, 1, 3), THREADS, 0, stream>>>(in, total, tiles);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
