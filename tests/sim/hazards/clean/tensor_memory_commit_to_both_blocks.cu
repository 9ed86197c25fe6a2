// Compile with --arch compute_100a. Each block of a pair multiplies, and its commit arrives in both of them, so that
// each knows when the other has read its operands.
__device__ float out[2][128];

__device__ unsigned shared(const void* p) {
    return unsigned(__cvta_generic_to_shared(p));
}
__device__ void cluster_barrier() {
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__global__ void __cluster_dims__(2) both() {
    __shared__ alignas(128) unsigned short a[1024], b[128]; // 64 rows and 8 columns of 16 bf16
    __shared__ alignas(8) unsigned long long done;
    __shared__ unsigned address;
    const unsigned i = threadIdx.x;
    for (unsigned k = i; k < 1024; k += 128)
        a[k] = 0x3f80; // 1.0
    b[i] = 0x3f80;
    if (i == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 2; fence.mbarrier_init.release.cluster;" ::"r"(shared(&done))
                     : "memory");
    if (i < 32)
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(shared(&address))
                     : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    cluster_barrier();
    const unsigned d = address, m64n8 = 4 << 24 | 1 << 17 | 1 << 10 | 1 << 7 | 1 << 4;
    const unsigned long long layout = 1ull << 46 | 16ull << 32 | 8ull << 16;
    const unsigned short blocks = 3;
    if (i == 0) {
        asm volatile(
            "{ .reg .pred p; setp.ne.u32 p, 0, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
            "l"(layout | (shared(a) & 0x3ffff) >> 4), "l"(layout | (shared(b) & 0x3ffff) >> 4), "r"(m64n8)
            : "memory");
        asm volatile(
            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(
                shared(&done)),
            "h"(blocks)
            : "memory");
    }
    asm volatile(
        "{ .reg .pred p; W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::"r"(
            shared(&done))
        : "memory");
    float value;
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=f"(value) : "r"(d + (i / 32 << 21)));
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    out[blockIdx.x][i] = i % 32 < 16 ? value : 0; // the rows of M = 64
    cluster_barrier();
    if (i < 32)
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(d));
}

int main() {
    both<<<2, 128>>>();
    return cudaDeviceSynchronize();
}

/*
== wrong/tensor_memory_commit_to_its_own_block
Compile with --arch compute_100a. The mask of each commit names the block that executes it, and not the other one.

-    const unsigned short blocks = 3;
+    const unsigned short blocks = 1 << (blockIdx.x & 1);

-            shared(&done))
+            shared(&done)) // error: deadlock

== wrong/tensor_memory_commit_to_a_third_block
Compile with --arch compute_100a. The mask of each commit names a block that the cluster does not have.
says: bit 2 of the multicast mask stands for the block of rank 2 in the cluster, but a cluster of this launch has 2 blocks

-    const unsigned short blocks = 3;
+    const unsigned short blocks = 7;

-            "h"(blocks)
+            "h"(blocks) // error: out-of-bounds
*/
