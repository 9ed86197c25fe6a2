// expect: early-phase
// The bytes of one thread are announced, but 64 threads send.
// Drill 14.4: values on their way
// Each thread has a value in a register and sends it to the next block of the cluster with st.async. The bytes complete
// on an mbarrier in the receiving block, so the receiver announces them. ptx::st_async(to, value, barrier) takes two
// pointers into the other block, both from cluster.map_shared_rank(p, r).
#include "lab.h"

#include <cooperative_groups.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int CLUSTER = 4, THREADS = 64;

// Initialises the barrier of this block. When it returns, all blocks of the cluster may use each other's barriers.
__device__ void init_and_publish(uint64_t* barrier, unsigned bytes) {
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, bytes);
    }
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}

__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS) shift(const int* in, int* out) {
    __shared__ alignas(16) int inbox[THREADS];
    __shared__ uint64_t full;
    const auto cluster = cooperative_groups::this_cluster();
    const int t = threadIdx.x, next = (cluster.block_rank() + 1) % CLUSTER;

    // TODO(1): how many bytes will arrive in this block?
    const unsigned bytes = sizeof inbox[0];
    // END TODO(1)

    init_and_publish(&full, bytes);
    const int value = in[blockIdx.x * THREADS + t];

    // TODO(2): send the value to inbox[t] of the next block.
    ptx::st_async(cluster.map_shared_rank(&inbox[t], next), value, cluster.map_shared_rank(&full, next));
    // END TODO(2)

    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    out[blockIdx.x * THREADS + t] = inbox[t];
}

/// `in` and `out`: 256 values. out[i] becomes in[i - 64], and the last 64 values come first.
void launch(const int* in, int* out, cudaStream_t stream) {
    shift<<<CLUSTER, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
