// Each warp stores a row of its own and reads it shifted by a word; its last lane reads the next warp's row.
__device__ int in[128], out[128];

__global__ void shift() {
    __shared__ alignas(128) int tile[128];
    const int i = threadIdx.x;
    tile[i] = in[i]; // other
    __syncwarp();
    if (i < 127)
        out[i] = tile[i + 1]; // error: read-after-write-race
}

int main() {
    shift<<<1, 128>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/row_shifted_within_its_warp
As row_shifted_past_its_warp, but the last lane of each warp reads nothing.

-    if (i < 127)
+    if (i % 32 < 31)
*/
