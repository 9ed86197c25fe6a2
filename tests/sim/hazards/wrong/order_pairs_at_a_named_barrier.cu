// says: allow an order in which no thread can make progress
// Four warps meet twice at a barrier for two of them. Two that meet twice leave one of the others alone.
__device__ int out[128];

__global__ void pairs() {
    for (int round = 0; round < 2; ++round)
        asm volatile("bar.sync 1, 64;" ::: "memory"); // error: deadlock
    out[threadIdx.x] = threadIdx.x;
}

int main() {
    pairs<<<1, 128>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/order_all_at_a_named_barrier
All of them meet.
orders: every

-        asm volatile("bar.sync 1, 64;" ::: "memory");
+        asm volatile("bar.sync 1, 128;" ::: "memory");

== clean/order_pairs_with_barriers_of_their_own
Each pair has a barrier.
orders: every

-        asm volatile("bar.sync 1, 64;" ::: "memory");
+        asm volatile("bar.sync %0, 64;" ::"r"(1 + threadIdx.x / 64) : "memory");
*/
