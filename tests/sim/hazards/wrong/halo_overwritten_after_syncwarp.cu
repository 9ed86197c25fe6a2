// Each thread reads its word and both neighbours and then overwrites its own. __syncwarp() orders that for the words of
// the warp, but at the edges the other warp may still be reading.
// says: In this run the write came first.
__device__ int out[64];

__global__ void smooth(int rounds) {
    __shared__ int tile[64 + 2];
    const int t = threadIdx.x;
    tile[t + 1] = t;
    if (t < 2)
        tile[t * 65] = 0;
    for (int i = 0; i < rounds; ++i) {
        __syncthreads();
        const int sum = tile[t] + tile[t + 1] + tile[t + 2]; // other
        __syncwarp();
        tile[t + 1] = sum; // error: write-after-read-race
    }
    out[t] = tile[t + 1];
}

int main() {
    smooth<<<1, 64>>>(3);
    return cudaDeviceSynchronize();
}

/*
== clean/halo_overwritten_after_the_barrier
Each thread reads its word and both neighbours, and overwrites its own word when all threads have read.

-        __syncwarp();
+        __syncthreads();
*/
