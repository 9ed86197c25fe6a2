// Threads that have exited do not count as arrived at a barrier with an explicit count.
// says: 32 threads of the block have exited: they do not count
__device__ int in[64], out[64];

__global__ void reverse() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    tile[i] = in[i];
    if (i >= 32)
        return;
    asm volatile("bar.sync 1, 64;" ::: "memory"); // error: deadlock
    out[i] = tile[31 - i];
}

int main() {
    reverse<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/threads_arrive_and_exit
Those that exit arrive first.

     if (i >= 32)
-        return;
+    {
+        asm volatile("bar.arrive 1, 64;" ::: "memory");
+        return;
+    }

== clean/counted_barrier_without_exited_threads
The count leaves them out.

-    asm volatile("bar.sync 1, 64;" ::: "memory");
+    asm volatile("bar.sync 1, 32;" ::: "memory");

== clean/exited_threads_at_a_barrier_of_the_block
Without a count, the barrier does not wait for threads that have exited.

-    asm volatile("bar.sync 1, 64;" ::: "memory");
+    asm volatile("barrier.sync 1;" ::: "memory");

== clean/lanes_exit_before_a_counted_barrier
A warp counts in full, though half of its lanes have exited.

-    if (i >= 32)
+    if (i % 32 >= 16)
         return;
-    asm volatile("bar.sync 1, 64;" ::: "memory");
-    out[i] = tile[31 - i];
+    asm volatile("barrier.sync 1, 64;" ::: "memory");
+    out[i] = tile[i + 16];

== clean/lanes_exit_while_others_wait_at_a_counted_barrier
When they exit makes no difference.

-    if (i >= 32)
+    if (i % 32 >= 16) {
+        __nanosleep(100000);
         return;
+    }
-    asm volatile("bar.sync 1, 64;" ::: "memory");
-    out[i] = tile[31 - i];
+    asm volatile("barrier.sync 1, 64;" ::: "memory");
+    out[i] = tile[i + 16];

== wrong/exited_threads_at_barrier_0_with_a_count
Barrier 0 with a count is no __syncthreads().

-    asm volatile("bar.sync 1, 64;" ::: "memory");
+    asm volatile("bar.sync 0, 64;" ::: "memory"); // error: deadlock

== wrong/threads_exit_after_others_wait
They exit while the others wait.

-    if (i >= 32)
+    if (i >= 32) {
+        __nanosleep(100000);
         return;
-    asm volatile("bar.sync 1, 64;" ::: "memory");
+    }
+    asm volatile("bar.sync 1, 64;" ::: "memory"); // error: deadlock
*/
