// expect: barrier-init-race
// Without the fence, the relaxed arrival publishes nothing.
// Drill 14.3: publish a barrier
// The blocks of a cluster send their results to the first block and arrive on its mbarrier; it waits and adds the
// results up. The first block has initialised the barrier with the number of arrivals. Make sure that the others may
// use it:
//   ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster)           by the thread that has initialised it,
//   then ptx::barrier_cluster_arrive(ptx::sem_relaxed), ptx::barrier_cluster_wait()           by all threads of the
//   cluster
#include "lab.h"

#include <cooperative_groups.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int CLUSTER = 4, THREADS = 32;

__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS) add_up(const unsigned* in, unsigned* out) {
    __shared__ unsigned results[CLUSTER];
    __shared__ uint64_t ready;
    const auto cluster = cooperative_groups::this_cluster();
    const int rank = cluster.block_rank();
    if (threadIdx.x == 0 && rank == 0)
        ptx::mbarrier_init(&ready, CLUSTER);

    // TODO(1): let the other blocks know.
    ptx::barrier_cluster_arrive(ptx::sem_relaxed);
    ptx::barrier_cluster_wait();
    // END TODO(1)

    const unsigned sum = __reduce_add_sync(~0u, in[blockIdx.x * THREADS + threadIdx.x]);
    if (threadIdx.x == 0) {
        *cluster.map_shared_rank(&results[rank], 0) = sum;
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                             cluster.map_shared_rank(&ready, 0));
    }
    if (rank == 0) {
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &ready, 0))
            ;
        if (threadIdx.x == 0)
            out[blockIdx.x / CLUSTER] = results[0] + results[1] + results[2] + results[3];
    }
}

/// `in`: `clusters` times 128 numbers. `out`: the sum of each 128.
void launch(const unsigned* in, unsigned* out, int clusters, cudaStream_t stream) {
    add_up<<<clusters * CLUSTER, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
