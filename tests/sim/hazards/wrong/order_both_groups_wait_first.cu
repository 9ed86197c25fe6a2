// Two groups take turns, and each waits for the other's signal before it gives its own: nobody begins.
__device__ int out[256];

__device__ void wait_at(int barrier) { asm volatile("bar.sync %0, 256;" ::"r"(barrier) : "memory"); }
__device__ void signal(int barrier) { asm volatile("bar.arrive %0, 256;" ::"r"(barrier) : "memory"); }

__global__ void turns(int rounds) {
    __shared__ int total;
    const int group = threadIdx.x / 128, mine = 1 + group, others = 2 - group;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        wait_at(mine); // error: deadlock
        if (threadIdx.x % 128 == 0)
            total += round;
        signal(others);
    }
    if (group == 0)
        wait_at(mine);
    out[threadIdx.x] = total;
}

int main() {
    turns<<<1, 256>>>(3);
    return cudaDeviceSynchronize();
}

/*
== clean/order_one_group_begins
The second group gives the first signal, so the first group begins.
orders: every

-    for (int round = 0; round < rounds; ++round) {
+    if (group == 1)
+        signal(others);
+    for (int round = 0; round < rounds; ++round) {

-    if (group == 0)
-        wait_at(mine);
-    out[threadIdx.x] = total;
+    if (group == 0) {
+        wait_at(mine);
+        out[threadIdx.x] = total;
+    }
*/
