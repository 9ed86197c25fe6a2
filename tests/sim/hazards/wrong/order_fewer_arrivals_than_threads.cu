// Three warps meet at a barrier for two. The first two can meet in both rounds, and then the third waits alone.
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ int out[96];

__global__ void rounds() {
    __shared__ barrier meeting;
    if (threadIdx.x == 0)
        init(&meeting, 64);
    __syncthreads();
    for (int round = 0; round < 2; ++round)
        meeting.arrive_and_wait(); // error: deadlock
    out[threadIdx.x] = threadIdx.x;
}

int main() {
    rounds<<<1, 96>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/order_as_many_arrivals_as_threads
The barrier counts all of them.
orders: every

-        init(&meeting, 64);
+        init(&meeting, 96);

== clean/order_a_warp_drops_out
One warp takes part in the first round only, and says so.
orders: every

-        init(&meeting, 64);
+        init(&meeting, 96);

-    for (int round = 0; round < 2; ++round)
-        meeting.arrive_and_wait();
+    if (threadIdx.x >= 64)
+        meeting.arrive_and_drop();
+    else
+        for (int round = 0; round < 2; ++round)
+            meeting.arrive_and_wait();
*/
