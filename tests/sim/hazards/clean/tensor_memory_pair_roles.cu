// Compile with --arch compute_100a. In a pair of blocks a thread of the odd one multiplies, warps 2 allocate, and warps
// 4 free.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../../../real/blackwell.h"

constexpr int m = 2 * rows, mine = m / 2;

__global__ void __cluster_dims__(2) multiply(float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t done;
    __shared__ unsigned cells;
    const unsigned warp = threadIdx.x / 32, row = threadIdx.x % mine;
    if (threadIdx.x < mine)
        fill(a, row, (rank() + row) % 16);
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&done, 1);
        fence_init();
    }
    fence_async();
    cluster_sync();
    if (warp == 2)
        alloc<2>(&cells, 32);
    cluster_sync();
    const unsigned d = cells;
    if (rank() == 1 && threadIdx.x == 64) {
        mma<2, m>(d, a, b);
        commit_all(&done, 3);
    }
    if (threadIdx.x < rows) {
        wait_cluster(&done, 0);
        float total = 0;
        for (int c = 0; c < 2 * columns * mine / rows; c += columns)
            total += sum(ld(own(d) + c));
        wait_ld();
        out[blockIdx.x * rows + threadIdx.x] = total;
    }
    cluster_sync();
    if (warp == 4)
        dealloc<2>(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(2 * rows));
    multiply<<<2, rows + 32>>>(out);
    return verdict(out, 2 * rows, [](int i) { return 2 * of_row(i / rows, i % mine) * mine / rows; });
}

/*
== clean/tensor_memory_pair_of_64_rows
Compile with --arch compute_100a. M = 128: each block has 64 rows, twice, with half of the columns each.

-constexpr int m = 2 * rows, mine = m / 2;
+constexpr int m = rows, mine = m / 2;

== clean/tensor_memory_pair_with_split_barriers
Compile with --arch compute_100a. The threads arrive at the barrier of the cluster as soon as they have loaded, and wait
later.

     }
-    cluster_sync();
+    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
+    __syncthreads();
+    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");

== clean/tensor_memory_pair_ends_but_for_one_warp
Compile with --arch compute_100a. The warps that load end: at the barrier of the cluster, to which only the warp that
frees comes, they count as arrived.

         out[blockIdx.x * rows + threadIdx.x] = total;
+        return;

== clean/tensor_memory_pair_commits_to_each_block
Compile with --arch compute_100a. Two commits, with a mask of one block each.

-        commit_all(&done, 3);
+        commit_all(&done, 1);
+        commit_all(&done, 2);

== wrong/tensor_memory_pair_commits_to_one_block
Compile with --arch compute_100a. The commit arrives in the block of its thread only.
says: the block of rank 0 wait for their mbarrier of the same place

-        commit_all(&done, 3);
+        commit_all(&done, 2); // error: deadlock

-        wait_cluster(&done, 0);
+        wait_cluster(&done, 0); // other

== wrong/tensor_memory_pair_frees_without_waiting
Compile with --arch compute_100a. The warp that frees waits for no commit, and meets none of those that do.

-        mma<2, m>(d, a, b);
-        commit_all(&done, 3);
+        mma<2, m>(d, a, b); // other 1
+        commit_all(&done, 3); // other 1

-            total += sum(ld(own(d) + c));
+            total += sum(ld(own(d) + c)); // other 2

-    cluster_sync();
     if (warp == 4)
-        dealloc<2>(d, 32);
+        dealloc<2>(d, 32); // error 1: tensor-memory-before-commit, error 2: tensor-memory-misused

== wrong/tensor_memory_pair_allocates_at_once
Compile with --arch compute_100a. Nothing shows that the other block has started.

-    cluster_sync();
     if (warp == 2)
-        alloc<2>(&cells, 32);
+        alloc<2>(&cells, 32); // warning: tensor-memory-misused
*/
