// Compile with --arch compute_100a. Four warps fill a ring of two stages, a thread of the fifth multiplies them into an
// accumulator in Tensor Memory, and the four warps load the sums.
__device__ float out[128];

__device__ unsigned shared(const void* p) {
    return unsigned(__cvta_generic_to_shared(p));
}
__device__ void arrive(const void* mbarrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared(mbarrier)) : "memory");
}
__device__ void wait(const void* mbarrier, unsigned parity) {
    asm volatile(
        "{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra W; }" ::"r"(shared(mbarrier)),
        "r"(parity)
        : "memory");
}
__device__ void commit(const void* mbarrier) {
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(shared(mbarrier))
                 : "memory");
}

__global__ void sums() {
    __shared__ alignas(128) unsigned short a[2][1024], b[2][128]; // 64 rows and 8 columns of 16 bf16
    __shared__ alignas(8) unsigned long long full[2], empty[2], done;
    __shared__ unsigned address;
    const unsigned i = threadIdx.x;
    if (i == 0) {
        const unsigned long long* const all[] = {full, full + 1, empty, empty + 1, &done};
        for (int k = 0; k < 5; ++k)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(all[k])), "r"(k < 2 ? 128 : 1)
                         : "memory");
    }
    if (i >= 128)
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(shared(&address))
                     : "memory");
    __syncthreads();
    const unsigned d = address;
    const bool multiplies = i == 128;
    if (i < 128) {
        for (unsigned round = 0; round < 4; ++round) {
            const unsigned stage = round % 2;
            if (round >= 2)
                wait(&empty[stage], round / 2 - 1);
            for (unsigned k = i; k < 1024; k += 128)
                a[stage][k] = 0x3f80; // 1.0
            b[stage][i] = 0x3f80;
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            arrive(&full[stage]);
        }
        wait(&done, 0);
        float value;
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=f"(value) : "r"(d + (i / 32 << 21)));
        asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
        out[i] = i % 32 < 16 ? value : 0; // the rows of M = 64
    } else if (multiplies) {
        const unsigned m64n8 = 4 << 24 | 1 << 17 | 1 << 10 | 1 << 7 | 1 << 4;
        const unsigned long long layout = 1ull << 46 | 16ull << 32 | 8ull << 16;
        for (unsigned round = 0; round < 4; ++round) {
            const unsigned stage = round % 2;
            wait(&full[stage], round / 2);
            asm volatile("{ .reg .pred p; setp.ne.u32 p, %4, 0; "
                         "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
                         "l"(layout | shared(a[stage]) >> 4), "l"(layout | shared(b[stage]) >> 4), "r"(m64n8),
                         "r"(round)
                         : "memory");
            commit(&empty[stage]);
        }
        commit(&done);
    }
    __syncthreads();
    if (i >= 128)
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(d));
}

int main() {
    sums<<<1, 160>>>();
    float sum[128];
    if (cudaMemcpyFromSymbol(sum, out, sizeof sum))
        return 1;
    for (int i = 0; i < 128; ++i)
        if (sum[i] != (i % 32 < 16 ? 64 : 0))
            return 1;
    return 0;
}

/*
== clean/tensor_memory_relaxed_wait_and_fence
Compile with --arch compute_100a. The wait for the sums is relaxed, and a fence follows it.

-__device__ void commit(const void* mbarrier) {
+__device__ void wait_relaxed(const void* mbarrier) {
+    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 p, [%0], 0;"
+                 "@!p bra W; }" ::"r"(shared(mbarrier)) : "memory");
+}
+__device__ void commit(const void* mbarrier) {

-        wait(&done, 0);
+        wait_relaxed(&done);
+        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");

== wrong/tensor_memory_other_quarter
Compile with --arch compute_100a. All warps load the lanes of the fourth one.

-        asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=f"(value) : "r"(d + (i / 32 << 21)));
+        asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=f"(value) : "r"(d + (3 << 21)));
+        // error: tensor-memory-misused

== clean/tensor_memory_sums_begin_with_stores
Compile with --arch compute_100a. The four warps store the zeros that the first product is added to.

     const bool multiplies = i == 128;
-    if (i < 128) {
+    if (i < 128)
+        asm volatile("tcgen05.st.sync.aligned.32x32b.x8.b32 [%0], {%1, %1, %1, %1, %1, %1, %1, %1};" ::"r"(
+                         d + (i / 32 << 21)),
+                     "r"(0)
+                     : "memory");
+    asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
+    __syncthreads();
+    if (i < 128) {

-                         "r"(round)
+                         "r"(1)

== wrong/tensor_memory_sums_begin_with_nothing
Compile with --arch compute_100a. The first product is added to what was in Tensor Memory before.
says: Because enable-input-d is true

-                         "r"(round)
+                         "r"(1) // error: uninitialised-read

== wrong/tensor_memory_stage_released_by_an_arrival
Compile with --arch compute_100a. The thread that multiplies releases a stage by an arrival of its own.

-                a[stage][k] = 0x3f80; // 1.0
-            b[stage][i] = 0x3f80;
+                a[stage][k] = 0x3f80; // error 1: tensor-operand-overwritten
+            b[stage][i] = 0x3f80;     // error 2: tensor-operand-overwritten

-                         "r"(round)
+                         "r"(round) // other 1, other 2

-            commit(&empty[stage]);
+            arrive(&empty[stage]);

== wrong/tensor_memory_operands_without_a_fence
Compile with --arch compute_100a. The warps that fill a stage execute no proxy fence.

-                a[stage][k] = 0x3f80; // 1.0
-            b[stage][i] = 0x3f80;
-            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
+                a[stage][k] = 0x3f80; // other 1
+            b[stage][i] = 0x3f80;     // other 2

-                         "r"(round)
+                         "r"(round) // error 1: missing-proxy-fence, error 2: missing-proxy-fence

== wrong/tensor_memory_committed_by_another_thread
Compile with --arch compute_100a. The thread that multiplies commits each stage, and its neighbour the sums.
says: the commit, which tracks nothing of that thread

-        asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=f"(value) : "r"(d + (i / 32 << 21)));
+        asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=f"(value) : "r"(d + (i / 32 << 21)));
+        // error: tensor-memory-before-commit

-                         "r"(round)
+                         "r"(round) // other

-        commit(&done);
     }
+    __syncwarp();
+    if (i == 129)
+        commit(&done); // other

== wrong/tensor_memory_never_freed
Compile with --arch compute_100a. No warp frees the columns.

-        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(shared(&address))
+        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(shared(&address))
+        // error: tensor-memory-misused

-    if (i >= 128)
-        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(d));

== wrong/tensor_memory_freed_with_another_size
Compile with --arch compute_100a. The warp that has allocated 64 columns frees 32.
says: has 64 columns, and this frees 32 of them

-        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(shared(&address))
+        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(shared(&address))

-        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(d));
+        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(d));
+        // error: tensor-memory-misused

== wrong/tensor_memory_allocated_after_relinquishing
Compile with --arch compute_100a. The warp that allocates gives up its right to do so beforehand.

-    if (i >= 128)
-        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(shared(&address))
+    if (i >= 128)
+        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
+    if (i >= 128)
+        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(shared(&address))
+        // error: tensor-memory-misused

== wrong/tensor_memory_accumulators_overlap
Compile with --arch compute_100a. The two stages have accumulators of their own, which share half of their columns.

-                         "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
+                         "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d + 4 * stage),

-                         "r"(round)
+                         "r"(round / 2) // error: tensor-memory-race, other

== clean/tensor_memory_accumulators_side_by_side
Compile with --arch compute_100a. The two stages have accumulators of their own, side by side.

-                         "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
+                         "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d + 8 * stage),

-                         "r"(round)
+                         "r"(round / 2)

-        if (sum[i] != (i % 32 < 16 ? 64 : 0))
+        if (sum[i] != (i % 32 < 16 ? 32 : 0))

== clean/tensor_memory_two_allocations
Compile with --arch compute_100a. The warp allocates twice, gives up the right to allocate, and frees both.

-    __shared__ unsigned address;
+    __shared__ unsigned address, second;

         asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(shared(&address))
                      : "memory");
+    if (i >= 128) {
+        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(shared(&second))
+                     : "memory");
+        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
+    }

-    if (i >= 128)
-        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(d));
+    if (i >= 128) {
+        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(second));
+        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(d));
+    }
*/
