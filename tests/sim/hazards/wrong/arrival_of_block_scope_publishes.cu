// A warning: the answer is read, and only an arrival of block scope orders that.
// says: Only the writer's arrival on this block's mbarrier orders the two, and that arrival has .cta scope, the default: it makes the writes visible to the writer's own block only.
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ int out[2][32];

__global__ void __cluster_dims__(2) exchange() {
    __shared__ int mailbox[32], answer[32];
    __shared__ uint64_t ready;
    const auto cluster = cooperative_groups::this_cluster();
    const unsigned rank = cluster.block_rank();
    const int i = threadIdx.x;
    if (i == 0) {
        ptx::mbarrier_init(&ready, 32);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    mailbox[i] = i;
    cluster.sync();
    if (rank == 1) {
        out[0][i] = cluster.map_shared_rank(mailbox, 0)[31 - i];
        answer[i] = 2 * i; // other
        const unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(&ready));
        asm volatile("{ .reg .b32 peer; mapa.shared::cluster.u32 peer, %0, 0;"
                     " mbarrier.arrive.release.cta.shared::cluster.b64 _, [peer]; }" ::"r"(own) // other
                     : "memory");
    } else {
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &ready, 0)) { // other
        }
        mailbox[i] = -i; // the other block has read it
        out[1][i] = cluster.map_shared_rank(answer, 1)[31 - i]; // warning: scope-too-narrow
    }
    cluster.sync();
}

int main() {
    exchange<<<2, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/arrival_of_block_scope_releases_a_buffer
An arrival on another block's mbarrier has block scope unless it names another. Programs rely on it to release memory
that is written again; it does not make writes visible.

-        out[1][i] = cluster.map_shared_rank(answer, 1)[31 - i];

== clean/arrival_of_cluster_scope_publishes
The answer is read, and an arrival of cluster scope orders that.

-                     " mbarrier.arrive.release.cta.shared::cluster.b64 _, [peer]; }" ::"r"(own)
+                     " mbarrier.arrive.release.cluster.shared::cluster.b64 _, [peer]; }" ::"r"(own)
*/
