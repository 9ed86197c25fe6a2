// Compile with --arch compute_100a. A warp allocates Tensor Memory for a pair of blocks and does not know whether the
// other block has started. Its neighbour, clean/pair_allocates_after_a_relaxed_meeting.cu, lets the cluster meet first.
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ unsigned out[2];

__global__ void __cluster_dims__(2) allocate() {
    __shared__ unsigned address;
    ptx::tcgen05_alloc(ptx::cta_group_2, &address, 32); // warning: tensor-memory-misused
    if (threadIdx.x == 0)
        out[blockIdx.x] = address;
    cooperative_groups::this_cluster().sync();
    ptx::tcgen05_dealloc(ptx::cta_group_2, address, 32);
}

int main() {
    allocate<<<2, 32>>>();
    return cudaDeviceSynchronize();
}
