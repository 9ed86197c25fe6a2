// Two warps read a row; the third overwrites it after a barrier with the first of them only.
__device__ int in[32], out[96];

__device__ void meet(int threads) {
    asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
}

__global__ void take_turns() {
    __shared__ alignas(128) int tile[32];
    const int i = threadIdx.x, lane = i % 32;
    if (i < 32)
        tile[lane] = in[lane];
    __syncthreads();
    int x = 0;
    if (i < 64)
        x = tile[lane]; // other
    if (i < 32 || i >= 64)
        meet(64); // other
    if (i >= 64)
        tile[lane] = i; // error: write-after-read-race
    __syncthreads();
    out[i] = x + tile[lane];
}

int main() {
    take_turns<<<1, 96>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/row_overwritten_after_both_readers
As row_overwritten_beside_its_second_reader, but both readers come to the barrier.

-    if (i < 32 || i >= 64)
-        meet(64);
+    meet(96);
*/
