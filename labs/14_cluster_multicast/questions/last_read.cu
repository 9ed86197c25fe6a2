#include <cooperative_groups.h>

__global__ void __cluster_dims__(2) swap(int* out) {
    __shared__ int values[32];
    const auto cluster = cooperative_groups::this_cluster();
    values[threadIdx.x] = blockIdx.x * 32 + threadIdx.x;
    cluster.sync();
    const int* other = cluster.map_shared_rank(values, cluster.block_rank() ^ 1);
    out[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x];
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    swap<<<2, 32>>>(out);
    cudaDeviceSynchronize();
}
