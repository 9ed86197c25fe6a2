// Whichever lanes happen to run together add their number once, and coalesced_threads() does the same.
#include <cooperative_groups.h>

__device__ int in[64], count, counts;

__global__ void positive() {
    namespace cg = cooperative_groups;
    const int i = threadIdx.x;
    if (in[i] <= 0) {
        const unsigned mask = __activemask();
        const int leader = __ffs(mask) - 1;
        int before = 0;
        if (i % 32 == leader)
            before = atomicAdd(&count, __popc(mask));
        before = __shfl_sync(mask, before, leader);
        const auto group = cg::coalesced_threads();
        int first = 0;
        if (group.thread_rank() == 0)
            first = atomicAdd(&counts, group.size());
        first = group.shfl(first, 0);
        group.sync();
        if (before < 0 || first < 0)
            in[i] = 1;
        const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
        int x = i;
        for (int step = 4; step > 0; step /= 2)
            x += tile.shfl_down(x, step);
        const auto same = cg::labeled_partition(cg::coalesced_threads(), i % 3);
        if (same.thread_rank() == 0 && tile.thread_rank() == 0)
            in[i] = x;
    }
}

int main() {
    positive<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
