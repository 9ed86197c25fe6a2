// Compile with --arch compute_100a. Named barriers take the place of mbarriers: four warps fill A, the fifth multiplies
// and alone waits for the commit, and the four load the sums.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../../../real/blackwell.h"

constexpr int count = 3, filled = 1, multiplied = 2;

__global__ void multiply(float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t done;
    __shared__ unsigned cells;
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&done, 1);
        fence_init();
    }
    if (threadIdx.x >= rows)
        alloc(&cells, 32);
    fence_async();
    __syncthreads();
    const unsigned d = cells;
    if (threadIdx.x < rows) {
        for (int t = 0; t < count; ++t) {
            fill(a, threadIdx.x, (t + threadIdx.x) % 16);
            fence_async();
            bar_sync(filled, rows + 32);
            bar_sync(multiplied, rows + 32);
            const Row r = ld(own(d));
            wait_ld();
            out[t * rows + threadIdx.x] = sum(r);
        }
    } else {
        for (int t = 0; t < count; ++t) {
            bar_sync(filled, rows + 32);
            if (threadIdx.x == rows) {
                mma(d, a, b);
                commit(&done);
            }
            wait(&done, t & 1);
            bar_sync(multiplied, rows + 32);
        }
        bar_sync(filled, rows + 32);
        dealloc(d, 32);
        return;
    }
    bar_sync(filled, rows + 32);
}

int main() {
    float* out = to_device(std::vector<float>(count * rows));
    multiply<<<1, rows + 32>>>(out);
    return verdict(out, count * rows, [](int i) { return of_row(i / rows, i % rows); });
}

/*
== clean/tensor_memory_arrivals_at_named_barriers
Compile with --arch compute_100a. Whoever hands over only arrives.

 constexpr int count = 3, filled = 1, multiplied = 2;
+__device__ void bar_arrive(int id, int threads) {
+    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
+}

             fence_async();
-            bar_sync(filled, rows + 32);
+            bar_arrive(filled, rows + 32);

             wait(&done, t & 1);
-            bar_sync(multiplied, rows + 32);
+            bar_arrive(multiplied, rows + 32);

-    bar_sync(filled, rows + 32);
+    bar_arrive(filled, rows + 32);

== clean/tensor_memory_multiplying_thread_fences
Compile with --arch compute_100a. Not the warps that fill the tile, but the thread that multiplies executes the proxy
fence, after the barrier.

-            fence_async();

             if (threadIdx.x == rows) {
+                fence_async();

== clean/tensor_memory_one_lane_waits_for_the_commit
Compile with --arch compute_100a. Only the thread that multiplies waits for its commit, and the barrier tells the
others.

+                wait(&done, t & 1);
             }
-            wait(&done, t & 1);

== clean/tensor_memory_two_products_and_one_commit
Compile with --arch compute_100a. Two products, one added to the other; the second commit tracks both.

                 mma(d, a, b);
+                mma(d, a, b, true);

-    return verdict(out, count * rows, [](int i) { return of_row(i / rows, i % rows); });
+    return verdict(out, count * rows, [](int i) { return 2 * of_row(i / rows, i % rows); });

== wrong/tensor_memory_barrier_in_place_of_the_commit
Compile with --arch compute_100a. No thread waits for the commit before the barrier.

-            fill(a, threadIdx.x, (t + threadIdx.x) % 16);
+            fill(a, threadIdx.x, (t + threadIdx.x) % 16); // error 2: tensor-operand-overwritten

-            const Row r = ld(own(d));
+            const Row r = ld(own(d)); // error 1: tensor-memory-before-commit

-                mma(d, a, b);
-                commit(&done);
+                mma(d, a, b); // other 1, other 2
+                commit(&done); // other 1, other 2
             }
-            wait(&done, t & 1);

== wrong/tensor_memory_filled_without_a_fence
Compile with --arch compute_100a. Nobody executes the proxy fence.

-            fill(a, threadIdx.x, (t + threadIdx.x) % 16);
-            fence_async();
+            fill(a, threadIdx.x, (t + threadIdx.x) % 16); // other

-                mma(d, a, b);
+                mma(d, a, b); // error: missing-proxy-fence

== wrong/tensor_memory_fence_before_the_barrier
Compile with --arch compute_100a. The thread that multiplies executes the proxy fence before the barrier.

-            fill(a, threadIdx.x, (t + threadIdx.x) % 16);
-            fence_async();
+            fill(a, threadIdx.x, (t + threadIdx.x) % 16); // other

         for (int t = 0; t < count; ++t) {
+            fence_async(); // other
             bar_sync(filled, rows + 32);

-                mma(d, a, b);
+                mma(d, a, b); // error: fence-before-barrier

== wrong/tensor_memory_freed_beside_the_last_loads
Compile with --arch compute_100a. The warp that multiplies frees the columns without a barrier.

-            const Row r = ld(own(d));
+            const Row r = ld(own(d)); // other

-        bar_sync(filled, rows + 32);
-        dealloc(d, 32);
+        dealloc(d, 32); // error: tensor-memory-misused

-    bar_sync(filled, rows + 32);

== wrong/tensor_memory_loads_without_a_wait
Compile with --arch compute_100a. A warning: all sums are used before the barrier that releases them, but the manual
asks for the wait.

-            const Row r = ld(own(d));
-            wait_ld();
+            const Row r = ld(own(d)); // other

-                mma(d, a, b);
+                mma(d, a, b); // warning: tensor-memory-not-waited

== wrong/tensor_memory_loads_of_which_half_is_used
Compile with --arch compute_100a. An error: nothing shows that the other registers have been loaded.
says: has used 7 of the registers that it loads

-            const Row r = ld(own(d));
-            wait_ld();
-            out[t * rows + threadIdx.x] = sum(r);
+            const Row r = ld(own(d)); // other
+            out[t * rows + threadIdx.x] = columns * r.of[0];

-                mma(d, a, b);
+                mma(d, a, b); // error: tensor-memory-not-waited
*/
