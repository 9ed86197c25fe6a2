// The last block does not come to the barrier of the grid.
// says: waits at the grid barrier
#include <cooperative_groups.h>

__device__ int in[4], out[4];

__global__ void rotate() {
    namespace cg = cooperative_groups;
    in[blockIdx.x] = blockIdx.x;
    if (blockIdx.x == 3)
        return;
    cg::this_grid().sync(); // error: deadlock
    out[blockIdx.x] = in[(blockIdx.x + 1) % 3];
}

int main() {
    void* none[1] = {};
    cudaLaunchCooperativeKernel((void*)rotate, dim3(4), dim3(1), none, 0, nullptr);
    return cudaDeviceSynchronize();
}

/*
== clean/grid_barrier_of_all_blocks
All blocks come to the barrier.

-    if (blockIdx.x == 3)
-        return;
-    cg::this_grid().sync();
+    cg::this_grid().sync();
+    if (blockIdx.x == 3)
+        return;
*/
