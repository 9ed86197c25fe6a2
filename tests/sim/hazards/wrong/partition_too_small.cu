// The partner belongs to another group of eight.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ int out[128];

__global__ void partitions() {
    __shared__ int tile[128];
    const int i = threadIdx.x;
    tile[i] = i; // other
    cg::tiled_partition<8>(cg::this_thread_block()).sync();
    out[i] = tile[i ^ 15]; // error: read-after-write-race
}

int main() {
    partitions<<<1, 128>>>();
    return cudaDeviceSynchronize();
}
