// The store comes after the arrival.
__device__ int in[32], out[32];

__global__ void hand_over() {
    __shared__ int tile[32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        tile[lane] = in[lane] + 1; // other
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        __nanosleep(20);
        out[lane] = tile[31 - lane]; // error: read-after-write-race
    }
}

int main() {
    hand_over<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/arrive_and_sync
bar.arrive by the producer, bar.sync by the consumer: the producer does not wait.

+        tile[lane] = in[lane];
         asm volatile("bar.arrive 1, 64;" ::: "memory");
-        tile[lane] = in[lane] + 1;

-        __nanosleep(20);
*/
