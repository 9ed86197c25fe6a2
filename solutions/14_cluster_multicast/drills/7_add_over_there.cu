// Drill 14.7: add over there
// Each block of a cluster has a partial sum for each of 64 columns, and each block owns the totals of 16 columns. A
// thread sends its partial sum to the owner with red.async, which adds it to the total there and completes four bytes
// on the owner's mbarrier. ptx::red_async(ptx::op_add, total, value, barrier) takes two pointers into the owner's
// shared memory, both from cluster.map_shared_rank(p, r). The additions are atomic; their order is open.
#include "lab.h"

#include <cooperative_groups.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int CLUSTER = 4, COLUMNS = 64, OWNED = COLUMNS / CLUSTER;

// Initialises the barrier of this block. When it returns, all blocks of the cluster may use each other's shared memory.
__device__ void init_and_publish(uint64_t* barrier, unsigned bytes) {
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, bytes);
    }
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}

__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(COLUMNS)
    sum_columns(const unsigned* in, unsigned* out, int rows) {
    __shared__ unsigned totals[OWNED];
    __shared__ uint64_t full;
    const auto cluster = cooperative_groups::this_cluster();
    const int column = threadIdx.x, rank = cluster.block_rank();
    if (column < OWNED)
        totals[column] = 0;

    // TODO(1): how many bytes complete in this block?
    const unsigned bytes = CLUSTER * sizeof totals;
    // END TODO(1)
    init_and_publish(&full, bytes);

    unsigned sum = 0;
    for (int row = rank; row < rows; row += CLUSTER)
        sum += in[row * COLUMNS + column];

    // TODO(2): add the sum to the total of its column, in the block that owns it.
    const unsigned owner = column / OWNED;
    ptx::red_async(ptx::op_add, cluster.map_shared_rank(&totals[column % OWNED], owner), sum,
                   cluster.map_shared_rank(&full, owner));
    // END TODO(2)

    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    if (column < OWNED)
        out[rank * OWNED + column] = totals[column];
}

/// `in`: `rows` rows of COLUMNS numbers. `out`: the sum of each column.
void launch(const unsigned* in, unsigned* out, int rows, cudaStream_t stream) {
    sum_columns<<<CLUSTER, COLUMNS, 0, stream>>>(in, out, rows);
}

LAB_ENTRY(launch)
