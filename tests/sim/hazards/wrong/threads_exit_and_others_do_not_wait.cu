// A thread that has ended is behind a barrier only for those who come to one.
__device__ int in[64], out[64];

__global__ void give_up_early() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    tile[i] = in[i];
    __syncthreads();
    out[i] = tile[63 - i]; // other
    if (i >= 32)
        return;
    tile[i] = tile[i + 32] = 0; // error: write-after-read-race
    asm volatile("" ::"r"(tile[i]), "r"(tile[i + 32]) : "memory");
}

int main() {
    give_up_early<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/threads_exit_before_the_barrier
Threads that have ended count as arrived: their reads come before what follows the barrier.

         return;
+    __syncthreads();
*/
