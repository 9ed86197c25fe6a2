// The shuffle covers lanes 0 to 15, and the value comes from the other half.
__device__ int in[32], out[32];

__global__ void reverse() {
    __shared__ int tile[32];
    const int i = threadIdx.x;
    tile[i] = in[i]; // other
    int next = 0;
    if (i < 16)
        next = __shfl_down_sync(0xffff, in[i], 1, 16);
    out[i] = tile[31 - i] + next; // error: read-after-write-race
}

int main() {
    reverse<<<1, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/shuffle_bridges_lanes
Only a shuffle lies between the store and another lane's load. It does not order memory, but code relies on it: a
note.
expect: read-after-write-race

-    int next = 0;
-    if (i < 16)
-        next = __shfl_down_sync(0xffff, in[i], 1, 16);
+    const int next = __shfl_down_sync(~0u, in[i], 1);
*/
