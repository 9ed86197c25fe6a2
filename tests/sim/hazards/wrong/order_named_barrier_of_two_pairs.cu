// Two pairs of warps use one barrier at the same time. Any two warps can meet there, so a reader can go on without its
// writer.
__device__ int out[128];

__global__ void pairs() {
    __shared__ int tile[2][32];
    const int pair = threadIdx.x / 64, lane = threadIdx.x % 32;
    const bool writes = threadIdx.x / 32 % 2 == 0;
    if (writes)
        tile[pair][lane] = lane; // other
    asm volatile("bar.sync 1, 64;" ::: "memory"); // error: named-barrier
    if (!writes)
        out[threadIdx.x] = tile[pair][31 - lane]; // other
}

int main() {
    pairs<<<1, 128>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/order_named_barriers_of_two_pairs
Each pair has a barrier of its own.
orders: every

-    asm volatile("bar.sync 1, 64;" ::: "memory");
+    asm volatile("bar.sync %0, 64;" ::"r"(1 + pair) : "memory");

== clean/order_any_two_may_meet
Whoever meets whom, each warp reads what it has written itself.
orders: every

-    if (!writes)
-        out[threadIdx.x] = tile[pair][31 - lane];
+    if (writes)
+        out[threadIdx.x] = tile[pair][lane];

== clean/order_one_pair_after_the_other
The second pair uses the barrier when the first one has left it.
orders: every

-    asm volatile("bar.sync 1, 64;" ::: "memory");
+    if (pair == 1)
+        __syncthreads();
+    asm volatile("bar.sync 1, 64;" ::: "memory");
+    if (pair == 0)
+        __syncthreads();
*/
