// bar.arrive counts the producer as arrived, and it goes on: nothing orders its writes after the consumers' reads.
__device__ int in[32], out[2][32];

__global__ void refill() {
    __shared__ int tile[32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 0)
        tile[lane] = in[lane];
    __syncthreads();
    if (warp == 0) {
        asm volatile("bar.arrive 1, 96;" ::: "memory");
        __nanosleep(2000);
        tile[lane] = in[31 - lane]; // error: write-after-read-race
    } else {
        out[warp - 1][lane] = tile[31 - lane]; // other
        asm volatile("bar.sync 1, 96;" ::: "memory");
    }
}

int main() {
    refill<<<1, 96>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/producer_waits_before_it_overwrites
The producer waits at the barrier: all have read the tile before it is overwritten.

-        asm volatile("bar.arrive 1, 96;" ::: "memory");
-        __nanosleep(2000);
+        asm volatile("bar.sync 1, 96;" ::: "memory");
*/
