// The peer's last release arrives on a barrier of a block that does not wait for it.
// says: That block neither waits for the phase of this arrival, nor does a cluster barrier order the arrival before its end. When it has exited, its shared memory may belong to another block.
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ int out[64];

__global__ void __cluster_dims__(2) hand_over() {
    __shared__ uint64_t released;
    __shared__ int value;
    auto cluster = cooperative_groups::this_cluster();
    const unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&released, 32);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        value = 7;
    }
    cluster.sync();
    if (rank == 1) {
        out[threadIdx.x] = value;
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, // error: exit-before-peer-access
                             cluster.map_shared_rank(&released, 0));
    }
}

int main() {
    hand_over<<<2, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/last_release_waited_for
The peer's last release arrives on a barrier of a block that waits for it before it ends.

                              cluster.map_shared_rank(&released, 0));
+    } else {
+        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &released, 0)) {
+        }
*/
