// The block copies a tile with cooperative_groups::memcpy_async and writes it back in reverse.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

namespace cg = cooperative_groups;

constexpr int threads = 128;

__global__ void reverse(const float* in, float* out, int tiles) {
    __shared__ alignas(16) float tile[threads];
    const cg::thread_block block = cg::this_thread_block();
    const int t = threadIdx.x;
    for (int k = 0; k < tiles; ++k) {
        cg::memcpy_async(block, tile, in + k * threads, sizeof tile);
#if WAIT == wait
        cg::wait(block);
#elif WAIT == sync
        block.sync();
#elif WAIT == both
        cg::wait(block);
        block.sync();
#endif
        out[k * threads + t] = tile[threads - 1 - t];
#if SECOND == yes
        block.sync(); // everybody has read it
#endif
    }
}
