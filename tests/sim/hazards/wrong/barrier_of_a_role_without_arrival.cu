// says: counts 96 arrivals, and only threads 32-95 of block 0 have arrived
// The producer does not arrive on `full`. It waits for `empty`, on which the consumers would arrive, but only later: the
// line that can never be satisfied is their wait.
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ int in[128], out[64];

__global__ void roles(int tiles) {
    __shared__ int tile[32];
    __shared__ barrier full, empty;
    if (threadIdx.x == 0) {
        init(&full, blockDim.x); // error: deadlock
        init(&empty, blockDim.x);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int t = 0; t < tiles; ++t) {
            empty.arrive_and_wait();
            tile[threadIdx.x] = in[t * 32 + threadIdx.x];
        }
    } else {
        int sum = 0;
        (void)empty.arrive();
        for (int t = 0; t < tiles; ++t) {
            full.arrive_and_wait(); // other
            sum += tile[threadIdx.x % 32];
            (void)empty.arrive();
        }
        out[threadIdx.x - 32] = sum;
    }
}

int main() {
    roles<<<1, 96>>>(4);
    return cudaDeviceSynchronize();
}

/*
== wrong/barrier_of_a_role_not_released
The consumers release the buffer once, in advance, but not after they have read it.

-            empty.arrive_and_wait();
+            empty.arrive_and_wait(); // error: deadlock

             tile[threadIdx.x] = in[t * 32 + threadIdx.x];
+            (void)full.arrive();

             sum += tile[threadIdx.x % 32];
-            (void)empty.arrive();

== wrong/barrier_of_a_role_not_free_at_first
The buffer is free at first, but no consumer says so: each role waits for the other.

-        init(&empty, blockDim.x);
+        init(&empty, blockDim.x); // other

-            empty.arrive_and_wait();
+            empty.arrive_and_wait(); // error: deadlock

             tile[threadIdx.x] = in[t * 32 + threadIdx.x];
+            (void)full.arrive();

-        int sum = 0;
-        (void)empty.arrive();
+        int sum = 0;

-            full.arrive_and_wait();
+            full.arrive_and_wait(); // other

== clean/barrier_of_a_role_with_arrivals
Both roles arrive on both barriers.

             tile[threadIdx.x] = in[t * 32 + threadIdx.x];
+            (void)full.arrive();
*/
