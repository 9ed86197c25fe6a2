// The phase is complete with the only arrival, and nothing orders the announcement of the bytes before that.
__device__ alignas(16) int in[256];
__device__ int out[64];

__device__ unsigned address(const void* shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }

__global__ void announced() {
    __shared__ alignas(16) int tile[256];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&full)) : "memory");
    __syncthreads();
    if (threadIdx.x == 32) {
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 1024;"
                     ::"r"(address(&full)) : "memory"); // error: early-phase
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];"
                     ::"r"(address(tile)), "l"(__cvta_generic_to_global(in)), "r"(address(&full)) : "memory");
    }
    if (threadIdx.x == 0)
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address(&full)) : "memory");
    asm volatile("{.reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra again;}"
                 ::"r"(address(&full)) : "memory");
    out[threadIdx.x] = tile[threadIdx.x];
}

int main() {
    announced<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/order_bytes_announced_by_the_arriving_thread
The thread that announces the bytes arrives.
orders: every

-    if (threadIdx.x == 0)
+    if (threadIdx.x == 32)
         asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address(&full)) : "memory");

== clean/order_bytes_announced_before_a_barrier
The block meets between the announcement and the arrival.
orders: every

-    if (threadIdx.x == 0)
+    __syncthreads();
+    if (threadIdx.x == 0)
         asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address(&full)) : "memory");
*/
