// One warp stores 32 words at once; one thread of another reads the last of them.
__device__ int in[32], out;

__global__ void share() {
    __shared__ alignas(128) int tile[32];
    const int i = threadIdx.x;
    if (i < 32)
        tile[i] = in[i]; // other
    if (i == 40)
        out = tile[31]; // error: read-after-write-race
}

int main() {
    share<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/word_of_a_row_read_after_the_barrier
As word_of_a_row_read_before_the_barrier, with the barrier.

         tile[i] = in[i];
+    __syncthreads();
*/
