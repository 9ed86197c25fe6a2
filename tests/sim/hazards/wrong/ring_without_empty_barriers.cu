// expect: write-after-read-race
// expect: deadlock
// One barrier per stage: nothing orders the producer after the consumer's reads. It overruns the consumer, which then
// waits for a parity that will not come back.
__device__ int in[12][32], out[12][32];

__device__ void wait(unsigned barrier, int parity) {
    int done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
}
__device__ void arrive(unsigned barrier) {
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(barrier) : "memory");
}
__device__ void init(unsigned barrier, int count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
__device__ unsigned address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__global__ void ring() {
    constexpr int stages = 3;
    __shared__ int tile[stages][32];
    __shared__ unsigned long long full[stages];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        for (int s = 0; s < stages; ++s)
            init(address(&full[s]), 32);
    __syncthreads();
    for (int k = 0; k < 12; ++k) {
        const int s = k % stages, lap = k / stages;
        if (threadIdx.x >= 32) {
            if (k == stages)
                __nanosleep(100);
            tile[s][lane] = in[k][lane];
            arrive(address(&full[s]));
        } else {
            wait(address(&full[s]), lap % 2);
            out[k][lane] = tile[s][31 - lane];
        }
    }
}

int main() {
    ring<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/barrier_every_iteration
One barrier per stage, used again in every lap: full and empty, waited for by parity. Waiting for parity 1 of a fresh
barrier returns at once.

-    __shared__ unsigned long long full[stages];
+    __shared__ unsigned long long full[stages], empty[stages];

-        for (int s = 0; s < stages; ++s)
+        for (int s = 0; s < stages; ++s) {
             init(address(&full[s]), 32);
+            init(address(&empty[s]), 32);
+        }

-            if (k == stages)
-                __nanosleep(100);
+            wait(address(&empty[s]), (lap + 1) % 2);

             out[k][lane] = tile[s][31 - lane];
+            arrive(address(&empty[s]));
*/
