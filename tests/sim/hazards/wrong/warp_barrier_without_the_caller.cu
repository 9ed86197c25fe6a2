// Lane 16 executes a barrier of lanes 0 to 15.
// says: Lane 16 is not in its own mask 0x0000ffff
__device__ int out[32];

__global__ void reverse() {
    __shared__ int tile[32];
    const int i = threadIdx.x;
    tile[i] = i;
    if (i <= 16) {
        __syncwarp(0xffff); // error: member-mask
        if (i < 16)
            out[i] = tile[15 - i];
    }
}

int main() {
    reverse<<<1, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/warp_barrier_of_its_callers
The barrier names the lanes that execute it.

-    if (i <= 16) {
+    if (i < 16) {
*/
