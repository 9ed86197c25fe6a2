// Nothing makes a block wait until its peer has initialised the mbarrier.
// says: No thread of that block has executed mbarrier.init for its mbarrier barrier so far: nothing orders the initialisation before this use.
__device__ int out[64];

__device__ unsigned in_peer(unsigned address, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

__global__ void __cluster_dims__(2) meet() {
    __shared__ unsigned long long barrier;
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(address) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_peer(address, blockIdx.x ^ 1))
    // error: barrier-uninitialised
                 : "memory");
    int done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; "
                     "selp.s32 %0, 1, 0, p; }" : "=r"(done) : "r"(address) : "memory");
    out[blockIdx.x * 32 + threadIdx.x] = done;
}

int main() {
    meet<<<2, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/peer_arrives_after_the_initialisation
Both blocks have initialised their mbarriers before either arrives on its peer's.

-    __syncthreads();
+    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
+    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");

== clean/plain_cluster_barrier_publishes_the_initialisation
A cluster barrier whose arrival releases needs no fence.mbarrier_init.

-        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");

-    __syncthreads();
+    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
+    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");

== clean/fence_publishes_the_initialisation
The arrival is relaxed, and the fence is the release.

-    __syncthreads();
+    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
+    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");

== wrong/relaxed_cluster_barrier_publishes_nothing
The arrival is relaxed, and there is no fence.

-        asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(address) : "memory");
-        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
+        asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(address) : "memory"); // other

     __syncthreads();
+    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
+    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");

     asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_peer(address, blockIdx.x ^ 1))
+    // error: barrier-init-race
                  : "memory");
*/
