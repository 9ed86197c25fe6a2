// Each block arrives on its peer's mbarrier. Then the blocks meet, but a relaxed arrival does not order that before it.
// says: this thread's arrival there is relaxed
#include <cooperative_groups.h>
#include <cuda/ptx>

__global__ void __cluster_dims__(2) signal() {
    namespace ptx = cuda::ptx;
    __shared__ uint64_t empty;
    const auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&empty, 1);
    cluster.sync();
    if (threadIdx.x == 0) {
        unsigned there;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                     : "=r"(there)
                     : "r"(unsigned(__cvta_generic_to_shared(&empty))), "r"(cluster.block_rank() ^ 1));
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
        // note: exit-before-peer-access
    }
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

int main() {
    signal<<<2, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/farewell_with_a_release_after_an_arrival
The arrival at the cluster barrier is a release, so the arrival on the mbarrier comes before the end of the peer.

-    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
+    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
*/
