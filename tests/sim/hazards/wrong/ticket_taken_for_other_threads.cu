// The last block adds up what all blocks have stored. Thread 0 takes the ticket of its block, but nothing orders that
// after the stores of the other threads.
// says: but another thread wrote these bytes, and the two have not met in between
__device__ float parts[4][64], sums[64];
__device__ unsigned ticket;

__global__ void add_up() {
    __shared__ bool last;
    parts[blockIdx.x][threadIdx.x] = 1; // other
    __threadfence();
    if (threadIdx.x == 0) {
        last = atomicAdd(&ticket, 1) == gridDim.x - 1; // other
        __threadfence();
    }
    __syncthreads();
    if (last) {
        float sum = 0;
        for (unsigned b = 0; b < gridDim.x; ++b)
            sum += parts[b][threadIdx.x]; // error: read-after-write-race
        sums[threadIdx.x] = sum;
    }
}

int main() {
    add_up<<<4, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== wrong/ticket_behind_a_fence_of_the_block
The fence in front of the ticket orders for the block of the writers only.
says: orders for its own block only; the reader is in another one.

-    parts[blockIdx.x][threadIdx.x] = 1;
-    __threadfence();
-    if (threadIdx.x == 0) {
-        last = atomicAdd(&ticket, 1) == gridDim.x - 1;
+    parts[blockIdx.x][threadIdx.x] = 1; // other
+    __threadfence_block();              // other
+    __syncthreads();
+    if (threadIdx.x == 0) {
+        last = atomicAdd(&ticket, 1) == gridDim.x - 1; // other

-            sum += parts[b][threadIdx.x];
+            sum += parts[b][threadIdx.x]; // error: scope-too-narrow

== clean/ticket_taken_for_the_block
The threads of a block meet before one of them takes the ticket.

-    __threadfence();
-    if (threadIdx.x == 0) {
-        last = atomicAdd(&ticket, 1) == gridDim.x - 1;
+    __threadfence();
+    __syncthreads();
+    if (threadIdx.x == 0) {
+        last = atomicAdd(&ticket, 1) == gridDim.x - 1;
*/
