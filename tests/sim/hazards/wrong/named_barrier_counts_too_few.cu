// All 128 threads have to meet, and the barrier lets any 64 of them go on.
// says: Barrier 1 counts 64 threads, but 128 come to it
__device__ int out[128];

__global__ void reverse() {
    __shared__ int tile[128];
    const int i = threadIdx.x;
    tile[i] = i; // other
    asm volatile("bar.sync 1, 64;" ::: "memory"); // error: named-barrier
    out[i] = tile[127 - i]; // other
}

int main() {
    reverse<<<1, 128>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/named_barrier_of_all_threads
The barrier counts all threads that have to meet.

-    asm volatile("bar.sync 1, 64;" ::: "memory");
+    asm volatile("bar.sync 1, 128;" ::: "memory");
*/
