// expect: exit-before-peer-access
// The neighbour may exit before its value has been read.
// Drill 14.1: read the neighbour
// Four blocks of a cluster keep a segment each in shared memory. Every thread adds its value and the value at the same
// place in the next block; the last block's next is the first. cluster.map_shared_rank(p, r) returns the address in the
// block of rank r that corresponds to p. cluster.sync() is a barrier of all threads of all four blocks. Mind both ends:
// the neighbour must have written before you read, and it must not exit before you have read.
#include "lab.h"

#include <cooperative_groups.h>

constexpr int CLUSTER = 4, THREADS = 64;

__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS) add_next(const int* in, int* out) {
    __shared__ int segment[THREADS];
    const auto cluster = cooperative_groups::this_cluster();
    [[maybe_unused]] const int rank = cluster.block_rank();
    const int i = blockIdx.x * THREADS + threadIdx.x, t = threadIdx.x;
    segment[t] = in[i];

    // TODO(1): read the next block's value, between two barriers.
    cluster.sync();
    const int value = *cluster.map_shared_rank(&segment[t], (rank + 1) % CLUSTER);
    // END TODO(1)

    out[i] = segment[t] + value;
}

/// `in` and `out`: `clusters` times 256 integers.
void launch(const int* in, int* out, int clusters, cudaStream_t stream) {
    add_next<<<clusters * CLUSTER, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
