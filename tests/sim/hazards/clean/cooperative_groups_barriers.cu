// Barriers of a block and of its partitions.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ int out[128];

__global__ void partitions() {
    __shared__ int tile[128];
    const auto block = cg::this_thread_block();
    const int i = threadIdx.x;
    tile[i] = i;
    const auto eight = cg::tiled_partition<8>(block);
    eight.sync();
    int sum = tile[i ^ 7];
    eight.sync();
    tile[i] = sum;
    const auto warp = cg::tiled_partition<32>(block);
    warp.sync();
    sum += tile[i ^ 31];
    block.sync();
    tile[i] = sum;
    auto token = block.barrier_arrive();
    block.barrier_wait(std::move(token));
    out[i] = tile[127 - i] + eight.shfl_xor(sum, 1);
    block.sync();
    if (i % 2) {
        const auto odd = cg::coalesced_threads();
        tile[i] = 1;
        odd.sync();
        if (odd.thread_rank() == 0)
            out[i] += tile[i + 2];
    }
}

int main() {
    partitions<<<1, 128>>>();
    return cudaDeviceSynchronize();
}
