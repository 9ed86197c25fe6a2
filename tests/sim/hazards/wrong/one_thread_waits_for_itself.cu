// One thread waits, and the others go on without it.
__device__ int in[64], out[64];

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

__global__ void reverse() {
    __shared__ int tile[64];
    __shared__ unsigned long long full;
    const int i = threadIdx.x;
    if (i == 0)
        init(address(&full), 64);
    __syncthreads();
    if (i >= 64) {
        tile[i - 64] = in[i - 64]; // other
        arrive(address(&full));
    } else if (i == 0) {
        wait(address(&full), 0);
    }
    if (i < 64)
        out[i] = tile[63 - i]; // error: read-after-write-race
}

int main() {
    reverse<<<1, 128>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/one_thread_waits
One thread waits on the mbarrier; __syncthreads() passes what it has seen on to the others.

     }
+    __syncthreads();
*/
