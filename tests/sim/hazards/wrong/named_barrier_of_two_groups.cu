// Both groups use barrier 1 with the count of one group, so it goes on with whichever threads come first.
// says: Barrier 1 counts 64 threads, but 128 come to it
// says: If all 128 threads have to meet, pass 128 as the count; if groups of 64 do, give each group a barrier number
__device__ int out[128];

__global__ void reverse_groups() {
    __shared__ int tile[128];
    const int i = threadIdx.x, group = i / 64;
    tile[i] = i;                                         // other
    asm volatile("bar.sync 1, 64;" ::: "memory");        // error: named-barrier
    out[i] = tile[64 * group + 63 - i % 64]; // other
}

int main() {
    reverse_groups<<<1, 128>>>();
    return cudaDeviceSynchronize();
}
/*
== clean/named_barrier_of_each_group
Each group has a barrier number of its own.

-    asm volatile("bar.sync 1, 64;" ::: "memory");
+    asm volatile("bar.sync %0, 64;" ::"r"(1 + group) : "memory");

== clean/named_barrier_used_in_turn
One group after the other uses the barrier; nothing is wrong with that.

-    asm volatile("bar.sync 1, 64;" ::: "memory");
+    if (group == 0)
+        asm volatile("bar.sync 1, 64;" ::: "memory");
+    __syncthreads();
+    if (group == 1)
+        asm volatile("bar.sync 1, 64;" ::: "memory");
*/
