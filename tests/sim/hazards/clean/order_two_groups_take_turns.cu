// Two warpgroups take turns with two named barriers; the second one starts the first.
__device__ int out[256];

__global__ void turns(int rounds) {
    const int group = threadIdx.x / 128;
    if (group == 1)
        asm volatile("bar.arrive 1, 256;" ::: "memory");
    int sum = 0;
    for (int i = 0; i < rounds; ++i)
        if (group == 0) {
            asm volatile("bar.sync 1, 256;" ::: "memory");
            sum += i;
            asm volatile("bar.arrive 2, 256;" ::: "memory");
        } else {
            asm volatile("bar.sync 2, 256;" ::: "memory");
            sum += i;
            if (i + 1 < rounds)
                asm volatile("bar.arrive 1, 256;" ::: "memory");
        }
    out[threadIdx.x] = sum;
}

int main() {
    turns<<<1, 256>>>(5);
    return cudaDeviceSynchronize();
}

/*
== clean/order_of_arrivals_does_not_matter
Two warps only arrive, in the opposite order, and nobody has to wait for them.

-    const int group = threadIdx.x / 128;
-    if (group == 1)
-        asm volatile("bar.arrive 1, 256;" ::: "memory");
+    const int group = threadIdx.x / 192;

-    for (int i = 0; i < rounds; ++i)
+    for (int i = 0; i < 1; ++i)
         if (group == 0) {
             asm volatile("bar.sync 1, 256;" ::: "memory");
             sum += i;
-            asm volatile("bar.arrive 2, 256;" ::: "memory");
+            asm volatile("bar.sync 2, 256;" ::: "memory");
         } else {
-            asm volatile("bar.sync 2, 256;" ::: "memory");
+            asm volatile("bar.arrive 2, 256;" ::: "memory");
             sum += i;
-            if (i + 1 < rounds)
-                asm volatile("bar.arrive 1, 256;" ::: "memory");
+            asm volatile("bar.arrive 1, 256;" ::: "memory");

== clean/order_one_warp_waits_for_the_block
One warp polls a barrier, and the others wait at the block's.

-    const int group = threadIdx.x / 128;
-    if (group == 1)
-        asm volatile("bar.arrive 1, 256;" ::: "memory");
+    const int group = threadIdx.x / 32 == 0;

-        if (group == 0) {
-            asm volatile("bar.sync 1, 256;" ::: "memory");
-            sum += i;
-            asm volatile("bar.arrive 2, 256;" ::: "memory");
-        } else {
-            asm volatile("bar.sync 2, 256;" ::: "memory");
-            sum += i;
-            if (i + 1 < rounds)
-                asm volatile("bar.arrive 1, 256;" ::: "memory");
-        }
+        if (group == 0) {
+            asm volatile("bar.arrive 2, 256;" ::: "memory");
+            sum += i;
+            __syncthreads();
+        } else {
+            asm volatile("bar.sync 2, 256;" ::: "memory");
+            sum += i;
+            __syncthreads();
+        }
*/
