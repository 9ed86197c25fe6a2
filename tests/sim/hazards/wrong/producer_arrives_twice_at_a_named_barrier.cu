// The producer does not wait until the consumer has come: its second arrival completes the first phase.
__device__ int in[2][32], out[2][32];

__global__ void rounds() {
    __shared__ int tile[2][32];
    const int lane = threadIdx.x % 32;
    for (int t = 0; t < 2; ++t) {
        if (threadIdx.x < 32) {
            tile[t][lane] = in[t][lane];
            asm volatile("bar.arrive 1, 64;" ::: "memory"); // error 1: barrier-overflow, other 1
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory"); // error 2: deadlock
            out[t][lane] = tile[t][31 - lane];
        }
    }
}

int main() {
    rounds<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/producer_waits_between_its_arrivals
The producer waits on a second barrier before it arrives on the first one again.

             asm volatile("bar.arrive 1, 64;" ::: "memory");
+            asm volatile("bar.sync 2, 64;" ::: "memory");

             out[t][lane] = tile[t][31 - lane];
+            asm volatile("bar.arrive 2, 64;" ::: "memory");
*/
