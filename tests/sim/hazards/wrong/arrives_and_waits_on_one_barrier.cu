// The first warp arrives and waits on one barrier: its two arrivals complete it without the second warp.
// says: The barrier counts 64 threads and does not know which ones. The second arrival of a warp takes another warp's place, so the barrier may complete before that warp has arrived, and what that one does then counts in the next phase.
__device__ int in[64], out[64];

__global__ void hand_over() {
    __shared__ int tile[2][32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        tile[0][lane] = in[lane];
        asm volatile("bar.arrive 1, 64;" ::: "memory"); // other 2
        asm volatile("bar.sync 1, 64;" ::: "memory"); // error 2: barrier-overflow
        out[lane] = tile[1][31 - lane];
    } else {
        tile[1][lane] = in[lane + 32]; // other 1
        asm volatile("bar.sync 1, 64;" ::: "memory"); // error 3: deadlock
        out[lane + 32] = tile[0][31 - lane]; // error 1: read-after-write-race
    }
}

int main() {
    hand_over<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/arrives_on_one_barrier_and_waits_on_another
Each warp arrives on the other's barrier and waits on its own.

         asm volatile("bar.arrive 1, 64;" ::: "memory");
-        asm volatile("bar.sync 1, 64;" ::: "memory");
+        asm volatile("bar.sync 2, 64;" ::: "memory");

         tile[1][lane] = in[lane + 32];
+        asm volatile("bar.arrive 2, 64;" ::: "memory");

== clean/arrives_twice_as_the_barrier_counts
The number of threads counts the first warp twice, so the barrier waits for the second one.

-        asm volatile("bar.arrive 1, 64;" ::: "memory");
-        asm volatile("bar.sync 1, 64;" ::: "memory");
+        asm volatile("bar.arrive 1, 96;" ::: "memory");
+        asm volatile("bar.sync 1, 96;" ::: "memory");

-    } else {
+    } else if (threadIdx.x < 64) {

         tile[1][lane] = in[lane + 32];
-        asm volatile("bar.sync 1, 64;" ::: "memory");
+        asm volatile("bar.sync 1, 96;" ::: "memory");

-    hand_over<<<1, 64>>>();
+    hand_over<<<1, 96>>>();
*/
