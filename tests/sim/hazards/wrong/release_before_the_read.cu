// The consumer gives the stage back before it has read it.
// says: Nothing orders that read before this copy, so the copy may refill the buffer while a thread still reads it.
__device__ alignas(16) int in[6][128], out[6][128];

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
    constexpr int stages = 2;
    __shared__ alignas(16) int tile[stages][128];
    __shared__ unsigned long long full[stages], empty[stages];
    if (threadIdx.x == 0)
        for (int s = 0; s < stages; ++s) {
            init(address(&full[s]), 32);
            init(address(&empty[s]), 128);
        }
    __syncthreads();
    for (int k = 0; k < 6; ++k) {
        const int s = k % stages, lap = k / stages;
        if (threadIdx.x >= 128) {
            const int e = 4 * (threadIdx.x - 128);
            wait(address(&empty[s]), (lap + 1) % 2);
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(&tile[s][e])), "l"(&in[k][e])
            // error: refill-while-read
                         : "memory");
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address(&full[s])) : "memory");
        } else {
            wait(address(&full[s]), lap % 2);
            arrive(address(&empty[s]));
            out[k][threadIdx.x] = tile[s][127 - threadIdx.x]; // other
        }
    }
}

int main() {
    ring<<<1, 160>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/arrival_tracks_copies
cp.async.mbarrier.arrive.noinc: consumers wait on the mbarrier, the producer never waits.

+            out[k][threadIdx.x] = tile[s][127 - threadIdx.x];
             arrive(address(&empty[s]));
-            out[k][threadIdx.x] = tile[s][127 - threadIdx.x];
*/
