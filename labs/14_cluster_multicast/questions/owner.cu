#include <cooperative_groups.h>
#include <cstdio>

__global__ void __cluster_dims__(4) owner() {
    __shared__ int values[32];
    const auto cluster = cooperative_groups::this_cluster();
    values[0] = 0;
    int* mapped = cluster.map_shared_rank(values, RANK);
    if (cluster.block_rank() == 1)
        printf("answer: %u %u\n", cluster.query_shared_rank(mapped), cluster.query_shared_rank(values));
    cluster.sync();
}

int main() {
    owner<<<4, 1>>>();
    cudaDeviceSynchronize();
}
