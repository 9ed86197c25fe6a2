// Half of the lanes of each tile shuffle. They wait for the other half, which waits at the block barrier.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ int data[32];

__global__ void spread() {
    const cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    int value = data[threadIdx.x];
    if (tile.thread_rank() < 8)
        value = tile.shfl(value, 12); // error: divergent-barrier
    __syncthreads();
    data[threadIdx.x] = value;
}

int main() {
    spread<<<1, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/each_tile_shuffles
All lanes of the tiles shuffle.

-    if (tile.thread_rank() < 8)
-        value = tile.shfl(value, 12);
+    const int other = tile.shfl(value, 12);
+    if (tile.thread_rank() < 8)
+        value = other;
*/
